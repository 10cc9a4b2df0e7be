/** Why a server cannot be used. */
export interface Fault {
  code: string;
  message: string;
  /** It is not tried again by itself: a person has to change something first. */
  final?: boolean;
}
