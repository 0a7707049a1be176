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
  /** Signed in its query, without its body: an address for whoever has it. */
  type Presigned = Omit<Request, 'headers' | 'body'> & { readonly signQuery: true };
  type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Adds the signature headers (version 4) to the request it is given, and returns it. */
  const aws4: {
    readonly sign: {
      (request: Request, credentials: Credentials): Request;
      (request: Presigned, credentials: Credentials): Presigned;
    };
  };
  export default aws4;
}
