/** `provider/name`: the id of a provider or of an endpoint, and the model's own name, which may hold slashes. */
export const modelIdPattern = /^[a-z][a-z0-9-]{0,31}\/.+$/;
