/** The end of a base URL that has a version of its own: `/v1beta/openai` of Gemini, `/v1/openai` of DeepInfra, `/api/paas/v4` of Zhipu. */
const OWN_VERSION = /\/v\d+\w*(?:\/openai)?$/u;

/** The end of a base URL that is the whole address of chat completions. */
const CHAT = '/chat/completions';

/**
 * Returns the URL of an endpoint; `path` starts with its version prefix (`/v1/…`, `/v2/…`). A base URL may end in `/v1`, which is not
 * repeated. If it ends in another version, that one replaces the `/v1` of the path.
 * If it ends in `/chat/completions`, it is the address of that endpoint as it is, and the others are beside it.
 */
export function getEndpointUrl(base: URL | string, path: string): URL {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/u, '');
  if (prefix.endsWith(CHAT)) url.pathname = prefix.slice(0, -CHAT.length) + withoutVersion(path);
  else if (prefix.endsWith('/v1')) url.pathname = prefix.slice(0, -'/v1'.length) + path;
  else url.pathname = prefix + (OWN_VERSION.test(prefix) ? withoutVersion(path) : path);
  return url;
}

const withoutVersion = (path: string): string => path.replace(/^\/v1(?=\/)/u, '');
