import { createHmac } from 'node:crypto';
import { getField } from '../../shared/storage/dynamodb/json-protocol.ts';
import type { HttpEvent } from './operation.ts';
import { SIGNING_SECRET } from './secrets.ts';

/** A request signed as Slack signs. */
export function signedBySlack(body: string, type: string, nowMs: number): HttpEvent {
  const seconds = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${seconds}:${body}`).digest('hex');
  return {
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
    isBase64Encoded: false,
  };
}

/** The same request with a valid signature, whatever it had. */
export function resignedForSlack(event: unknown, nowMs: number): HttpEvent {
  const type = getField(getField(event, 'headers'), 'content-type');
  return signedBySlack(String(getField(event, 'body')), String(type), nowMs);
}
