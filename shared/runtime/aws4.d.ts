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
  /** A presigned request: the signature is in its query, without the body. */
  type Presigned = Omit<Request, 'headers' | 'body'> & { readonly signQuery: true };
  type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Adds the version 4 signature headers to the request and returns it. */
  const aws4: {
    readonly sign: {
      (request: Request, credentials: Credentials): Request;
      (request: Presigned, credentials: Credentials): Presigned;
    };
  };
  export default aws4;
}
