import { type Check, fail, pass, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';

/** An address to which a platform posts signed requests. */
export type Callback = {
  /** What has the address, such as `Discord interactions`. */
  readonly name: string;
  readonly url: string;
  /** Headers with a signature of the right form and no right value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the address is entered. */
  readonly place: string;
};

/** The callback of a Discord application. */
export const discordCallback = (url: string, nowMs: number): Callback => ({
  name: 'Discord interactions',
  url,
  headers: {
    'content-type': 'application/json',
    'x-signature-ed25519': '0'.repeat(128),
    'x-signature-timestamp': String(Math.floor(nowMs / 1_000)),
  },
  place: 'discord.com/developers/applications > your app > General Information > Interactions Endpoint URL',
});

/** The callback of a Slack app. */
export const slackCallback = (url: string, nowMs: number): Callback => ({
  name: 'Slack events',
  url,
  headers: {
    'content-type': 'application/json',
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
    'x-slack-request-timestamp': String(Math.floor(nowMs / 1_000)),
  },
  place: 'api.slack.com/apps > your app > Event Subscriptions > Request URL',
});

/** Where what should answer at the address runs: the advice depends on it. */
export type CallbackHost = 'machine' | 'deployment';

/** Checks that Parley answers at the address: it has to reject an invalid signature with 401. */
export async function checkCallback(
  callback: Callback,
  probe: Probe,
  host: CallbackHost = 'machine',
): Promise<Check> {
  const { url, headers } = callback;
  return evaluateCallback(callback, await probe(url, { method: 'POST', headers, body: '{"type":1}' }), host);
}

/** What to do if nothing answers at the address, if what answers fails, and if it accepts no more requests. */
const ADVICE: Readonly<
  Record<CallbackHost, (place: string) => Readonly<Record<'unreachable' | 'failed' | 'throttled', string>>>
> = {
  machine: (place) => {
    const start = `Start Parley, and the tunnel that leads to it. If the address has changed, enter the new one at ${place}.`;
    return {
      unreachable: start,
      failed: start,
      throttled:
        'Wait, then run this again. If it stays so, the tunnel allows no more requests: use another.',
    };
  },
  deployment: () => ({
    unreachable:
      'The address is that of the deployment: is there a network here? Otherwise check in the AWS console that its API still exists, and deploy again.',
    failed: 'docs/runbook.md#front-fails says how to find the error.',
    throttled: 'docs/runbook.md#requests-throttled says what to do.',
  }),
};

/** Evaluates the response to a request with an invalid signature. */
function evaluateCallback({ name, url, place }: Callback, response: ProbeResult, host: CallbackHost): Check {
  const { origin, protocol, hostname } = new URL(url);
  const advice = ADVICE[host](place);
  if (response.kind === 'unreachable')
    return fail(
      name,
      `${origin} could not be reached: ${response.reason}. Commands and buttons fail.`,
      advice.unreachable,
    );
  const { status } = response;
  if (status === 401 && protocol !== 'https:' && hostname !== '127.0.0.1')
    return warn(name, `arrive at ${origin} without encryption.`, `Enter an https address at ${place}.`);
  if (status === 401) return pass(name, `arrive at ${origin}, and an invalid signature is rejected.`);
  if (status === 429)
    return fail(name, `${origin} accepts no more requests at the moment (429).`, advice.throttled);
  if (status >= 500)
    return fail(name, `${origin} answers, but what is behind it does not (${status}).`, advice.failed);
  return fail(
    name,
    `${origin} answers an invalid signature with ${status} rather than 401: something else is there.`,
    `Enter the address of this system at ${place}.`,
  );
}
