/** Headers as undici gives them: lower-case names, a list where one was repeated. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The (first) value of a header; the name in lower case. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The id under which the server knows the request. */
export function requestIdOf(headers: Headers): string | undefined {
  return headerOf(headers, 'x-request-id') ?? headerOf(headers, 'request-id');
}
