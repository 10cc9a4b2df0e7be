"use client";

import ProjectHead from "@/components/projects/project-head";
import { ChatScreen } from "./chat-screen";

/** A new chat in a project, with what the project has round it; its name comes with the page, and not after it. */
export function ProjectScreen() {
  return <ChatScreen Head={ProjectHead} />;
}
