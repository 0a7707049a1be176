declare module 'aws4' {
  type Request = {
    service: string;
    region: string;
    host: string;
    method: string;
    path: string;
    headers: Record<string, string | number>;
    body: string;
  };
  type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Adds the signature headers (version 4) to the request it is given, and returns it. */
  const aws4: { readonly sign: (request: Request, credentials: Credentials) => Request };
  export default aws4;
}
