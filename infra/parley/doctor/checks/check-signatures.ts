import { type Check, skip, warn } from '../../../configuration/index.ts';

/** How long a rejected request counts. */
const REJECTION_WINDOW_MS = 60 * 60_000;

/** A line of `engine.log` that the HTTP API writes: `2026-11-23T12:00:00.000Z POST /slack/events: 401`. */
const REJECTION = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) POST \/slack\/events: 401$/;

/** Counts the requests to /slack/events whose signature the local system rejected in the last hour. */
export function countRejectedRequests(log: string, nowMs: number): number {
  return log.split('\n').filter((line) => {
    const at = Date.parse(REJECTION.exec(line)?.[1] ?? '');
    return at > nowMs - REJECTION_WINDOW_MS;
  }).length;
}

/**
 * Evaluates the signing secret. Slack has no method that tells whether it is right: only requests of Slack show it. The local
 * system writes each rejected one to its log.
 */
export function evaluateSigningSecret(rejectedRequests: number): Check {
  const name = 'SLACK_SIGNING_SECRET';
  if (rejectedRequests === 0)
    return skip(
      name,
      'can only be checked with a request of Slack; none was rejected in the last hour.',
      'Mention the bot while "npm start" runs, then run this again.',
    );
  return warn(
    name,
    `did not fit ${rejectedRequests} ${rejectedRequests === 1 ? 'request' : 'requests'} of the last hour: it is not that of the app, or somebody else posted them.`,
    'Copy it again from api.slack.com/apps > your app > Basic Information > App Credentials > Signing Secret.',
  );
}
