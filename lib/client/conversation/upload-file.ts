import { ApiError } from "@/lib/client/http/http";
import type { AttachmentItem } from "@/lib/protocol/http";

/** Uploads a file and reports its progress, 0 to 1. Throws `ApiError`. */
export function uploadFile(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
  isTemporary = false,
): Promise<AttachmentItem> {
  // fetch does not tell how much has been sent.
  const request = new XMLHttpRequest();
  request.open("POST", "/api/attachments");
  request.responseType = "json";
  request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  request.setRequestHeader("X-Filename", encodeURIComponent(file.name));
  if (isTemporary) request.setRequestHeader("X-Temporary", "true");
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  signal.addEventListener("abort", () => request.abort());
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(new ApiError("offline", "The server cannot be reached. Is Meguri still running?", 0));
    request.onerror = fail;
    request.onabort = fail;
    request.onload = () => {
      if (request.status === 201) return resolve(request.response as AttachmentItem);
      const { code, message } = request.response?.error ?? {};
      reject(
        new ApiError(
          code ?? `http_${request.status}`,
          message ?? `The server answered ${request.status}.`,
          request.status,
        ),
      );
    };
    request.send(file);
  });
}
