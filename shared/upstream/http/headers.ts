/** Headers as undici returns them: lower-case names, an array for a repeated header. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the (first) value of a header; `name` in lower case. undici keeps white space at the end of a value. */
export function getHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/** Returns the server's id of the request. */
export function getRequestId(headers: Headers): string | undefined {
  return getHeader(headers, 'x-request-id') ?? getHeader(headers, 'request-id');
}
