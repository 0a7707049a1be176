import type { Json } from './cells.ts';
import { REPLACE } from './ticket.ts';

const TIMEOUT_MS = 5_000;
const SLACK_HOOKS = 'https://hooks.slack.com';

/** Says something by the address that came with a call. Rejects when Slack does not take it. */
export type Answer = (ticket: string, body: Json) => Promise<void>;

/** A `response_url` was used up, is too old, or does not answer. Its address is a secret and is not named. */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
}

/** Answers calls of a Slack behind `slackApiUrl`. Addresses elsewhere are refused. */
export function answerer(slackApiUrl: string): Answer {
  const own = new URL(slackApiUrl).origin;
  const origins = new Set(own === 'https://slack.com' ? [SLACK_HOOKS] : [own, SLACK_HOOKS]);
  return async (ticket, body) => {
    const url = URL.parse(ticket);
    if (!url || !origins.has(url.origin)) throw new NotAnswered('the address is not one of Slack');
    const replace = url.hash === REPLACE;
    url.hash = '';
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ response_type: 'ephemeral', replace_original: replace, ...body }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new NotAnswered(`no answer: ${error instanceof Error ? error.name : 'unknown'}`);
    });
    await response.body?.cancel();
    if (!response.ok) throw new NotAnswered(`status ${response.status}`);
  };
}
