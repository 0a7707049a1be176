import * as v from 'valibot';
import { type SlackCall, SlackApiError } from './call.ts';
import { readBoundedJson } from './read-bounded-json.ts';

/**
 * Sends one request to Slack's Web API without Slack's client, which would slow the start of the front. Resolves with the JSON of the
 * response, also if it is `ok: false`. Rejects for invalid JSON, for a redirect, and when `signal` aborts.
 */
export async function postForm(
  url: URL,
  args: Readonly<Record<string, string>>,
  bearer: string,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: new URLSearchParams(args),
    redirect: 'error',
    signal,
  });
  return readBoundedJson(response);
}

const CALL_TIMEOUT_MS = 2_000;
const args = v.record(v.string(), v.string());
const answer = v.looseObject({ ok: v.boolean(), error: v.optional(v.string(), 'unreadable') });

/** Creates a SlackCall for arguments that are strings. A 429 is not distinguished from other errors. */
export const createFormCall =
  (slackApiUrl: string, token: string): SlackCall =>
  async (method, fields) => {
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const response = v.parse(
      answer,
      await postForm(new URL(method, slackApiUrl), v.parse(args, fields), token, signal),
    );
    if (!response.ok) throw new SlackApiError(method, response.error);
    return response;
  };
