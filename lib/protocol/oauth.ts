/** Why a program's request to be let in is none: its id, the address for the answer, the proof (PKCE), what it is for. */
export type AuthorizationFault = "client" | "redirect" | "proof" | "resource";
