import type { OidcFailure } from "@/lib/protocol/accounts";
import { hasName } from "@/lib/protocol/has-name";

/** A sign-in with the identity provider ends here; the sign-in page says why, in the language of its reader. */
export class SignInFailure extends Error {
  // What accounts throw at the start is caught by a route of another bundle.
  static [Symbol.hasInstance] = hasName("SignInFailure");
  override name = "SignInFailure";
  /** `reason`: for the log; no word of a token. */
  constructor(
    readonly code: OidcFailure,
    readonly reason: object = {},
  ) {
    super(code);
  }
}
