import { request } from 'node:http';
import { json } from 'node:stream/consumers';

/** Sends one request to the local DynamoDB without the AWS client, which takes long to load. */
export function callTable(
  endpoint: string,
  operation: string,
  input: unknown,
): Promise<{ status: number; body: unknown }> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': '20260101T000000Z',
    authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
  };
  return new Promise((resolve, reject) => {
    const sent = request(endpoint, { method: 'POST', headers, timeout: 10_000, agent: false }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('DynamoDB did not answer')));
    sent.once('error', reject);
    sent.end(JSON.stringify(input));
  });
}
