/**
 * What a conversation is read and searched with, in one piece: a chunk that pages share knows nothing of the others that are
 * still on their way to this page, so that importing these one by one while a conversation opens would break that page.
 */
export { default as ChatBody } from "@/components/chat/chat-body";
export { default as FindBar } from "@/components/chat/find/find-bar";
export { default as MenuSurface } from "@/components/ui/layers/menu-surface";
export { MessageQueue } from "@/lib/client/conversation/message-queue";
export { StoredTurns } from "@/lib/client/conversation/stored-turns";
export { RunFollower } from "@/lib/client/run/run-follower";
