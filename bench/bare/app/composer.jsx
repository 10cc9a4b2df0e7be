"use client";

import { useState } from "react";

export function Composer() {
  const [text, setText] = useState("");
  return <textarea aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />;
}
