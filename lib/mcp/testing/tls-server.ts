import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Generated for this file, for localhost; no machine trusts it. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgohLiY5nRXOndjTPF
5fj6QgilfbOZ6/qQkLDi/apJm6WhRANCAASS0ZCAYo7vnTcPn+Y4YxjvyrHjW5U4
OX1gbq7A2+7nyr6o/LCpDAxL4x/2e4CEEp8Go2lrgmyIVZYd1uRqWpi+
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUKCUwPY2+ePJrY4IKc6MvaOLk5fYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzMDgzOFoYDzIxMjYxMDI4
MTMwODM4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASS0ZCAYo7vnTcPn+Y4YxjvyrHjW5U4OX1gbq7A2+7nyr6o/LCpDAxL
4x/2e4CEEp8Go2lrgmyIVZYd1uRqWpi+o28wbTAdBgNVHQ4EFgQUEf90EPU9Ej2H
T7LyV6i5NkryqIEwHwYDVR0jBBgwFoAUEf90EPU9Ej2HT7LyV6i5NkryqIEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgQ67ADbyOaB4lBVgl0G1g2A8xyYXO++m/5e4vGM/bHXcCIQDT
mE1hg/WgUioz8whFYXCUZu5JhFuSkasvvVicyufdDA==
-----END CERTIFICATE-----`;

/** An HTTPS server on loopback whose certificate no machine trusts. */
export async function listenWithTls(): Promise<{ port: number; close(): void }> {
  const server = createServer({ key, cert }, (_request, response) => void response.end()).listen(
    0,
    "127.0.0.1",
  );
  await new Promise((resolve) => server.once("listening", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
