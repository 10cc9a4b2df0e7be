/** Why a server cannot be used. */
export interface Fault {
  code: string;
  message: string;
  /** Trying again would fail in the same way: a person has to change something first. */
  final?: boolean;
}
