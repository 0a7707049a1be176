import aws4 from 'aws4';
import * as v from 'valibot';
import type { Probe, ProbeResult } from '../../configuration/index.ts';

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type AwsAccount = {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** Replaces the addresses of AWS, for tests. */
  readonly endpoint?: string | undefined;
};

export type AwsRequest = {
  readonly service: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The headers of a request with a form. The response is JSON, also of the older services. */
export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

/** Sends a signed request. Never rejects. */
export function sendSigned(
  { credentials, region, endpoint }: AwsAccount,
  { service, method, path, headers: given = {}, body }: AwsRequest,
  probe: Probe,
): Promise<ProbeResult> {
  const base = new URL(endpoint ?? `https://${service}.${region}.amazonaws.com`);
  const { headers } = aws4.sign(
    {
      service,
      region,
      method,
      path,
      host: base.host,
      headers: { accept: 'application/json', ...given },
      body: body ?? '',
    },
    {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
    },
  );
  // `fetch` sets these itself.
  const sent = Object.entries(headers).filter(([name]) => !/^(?:host|content-length)$/i.test(name));
  return probe(new URL(path, base).href, {
    method,
    headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
    ...(body !== undefined && { body }),
  });
}

/** The two forms of errors: of the query services, and of those with JSON. */
const errorSchema = v.union([
  v.pipe(
    v.object({ Error: v.object({ Code: v.string() }) }),
    v.transform(({ Error: { Code } }) => Code),
  ),
  v.pipe(
    v.object({ __type: v.string() }),
    // Some services write the namespace before the name.
    v.transform(({ __type: type }) => type.replace(/^.*#/, '')),
  ),
]);

/** Returns the code of an error, such as `ExpiredToken`; the status if the response names none. */
export function readAwsError(response: ProbeResult): string {
  if (response.kind === 'unreachable') return response.reason;
  if (response.html) return `a web page, status ${response.status}`;
  const error = v.safeParse(errorSchema, response.json);
  return error.success ? error.output : `status ${response.status}`;
}
