import { api } from "./http";

/** Changes what is under a path; every tab fetches it again, also after a refusal, which is thrown as `ApiError`. */
export const changesOf =
  (path: string, refresh: () => Promise<void>) =>
  async <Answer>(method: "POST" | "PATCH" | "DELETE", tail: string, body?: object): Promise<Answer> => {
    try {
      return await api<Answer>(`${path}${tail}`, { method, ...(body && { body }) });
    } finally {
      await refresh();
    }
  };
