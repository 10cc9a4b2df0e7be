import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { fillForm, maxSignIns, serverEntry, wantedCalls } from "./conformance-scenario";
import { consent } from "./consent";

/**
 * For comparison: the SDK's client with the in-memory sign-in of its examples. Its score is in docs/conformance.md next
 * to ours.
 */
const { url = "", oauth = {} } = serverEntry();
const redirectUrl = "http://127.0.0.1:3000/callback";
const { clientId, clientSecret } = oauth;
let information: OAuthClientInformationMixed | undefined = clientId
  ? { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
  : undefined;
let tokens: OAuthTokens | undefined;
let verifier = "";
let page: URL | undefined;

const person: OAuthClientProvider = {
  redirectUrl,
  ...(oauth.clientMetadataUrl && { clientMetadataUrl: oauth.clientMetadataUrl }),
  clientMetadata: { client_name: "bare", redirect_uris: [redirectUrl] },
  clientInformation: () => information,
  saveClientInformation: (saved) => {
    information = saved;
  },
  tokens: () => tokens,
  saveTokens: (saved) => {
    tokens = saved;
  },
  redirectToAuthorization: (to) => {
    page = to;
  },
  saveCodeVerifier: (saved) => {
    verifier = saved;
  },
  codeVerifier: () => verifier,
};
const provider = oauth.grant === "client_credentials" ? machine() : person;
const newTransport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
let transport = newTransport();
const client = new Client(
  { name: "bare", version: "1.0.0" },
  { capabilities: { elicitation: { form: { applyDefaults: true } } }, versionNegotiation: { mode: "auto" } },
);
client.setRequestHandler("elicitation/create", ({ params }) => {
  const schema = "requestedSchema" in params ? params.requestedSchema : undefined;
  return { action: "accept", content: fillForm(schema as Record<string, unknown> | undefined) as never };
});

await signedIn(async () => {
  transport = newTransport();
  await client.connect(transport);
});
const { tools } = await signedIn(() => client.listTools());
for (const call of wantedCalls(tools))
  await signedIn(() => client.callTool(call)).catch((error) => console.error(`${call.name}: ${error}`));
await client.close();

/** The SDK's own providers for clients without a person. */
function machine(): OAuthClientProvider {
  const { clientId = "", clientSecret = "", privateKey, algorithm = "ES256" } = oauth;
  return privateKey
    ? new PrivateKeyJwtProvider({ clientId, privateKey, algorithm })
    : new ClientCredentialsProvider({ clientId, clientSecret });
}

/** Repeats a request that needed a sign-in, with a person who consents to everything. */
async function signedIn<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let signIns = 0; ; signIns++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !page || signIns === maxSignIns) throw error;
      const response = (await consent(page, redirectUrl)).searchParams;
      await transport.finishAuth(response);
    }
}
