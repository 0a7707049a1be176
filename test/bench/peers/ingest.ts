import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { sign } from '../../simulators/slack/index.ts';
import { percentile } from '../report-table.ts';
import type { Figure, Section } from './figures.ts';
import { PEOPLE, type Subject } from './subjects.ts';

/** Slack throttles the events of a workspace above 30,000 an hour, which is eight a second: many workspaces. */
const PER_SECOND = 50;
const EVENTS = 1_000;
/** Fewer questions than the limit of the models. */
const MENTION_EVERY = 50;
const SHARES = { p50: 0.5, p99: 0.99, 'p99.9': 0.999 } as const;

/**
 * Signed events at a fixed rate, whether earlier ones were acknowledged or not. Each time is counted from the moment at which the event
 * was due, so that a front that stands still makes all that wait late, not only one (no coordinated omission).
 */
export async function ingestSection(subjects: readonly Subject[]): Promise<Section[]> {
  const events: Record<string, readonly Acknowledged[]> = {};
  for (const subject of subjects) events[subject.name] = await acknowledge(subject);
  const values = (of: (all: readonly Acknowledged[]) => number): Figure['values'] =>
    Object.fromEntries(Object.entries(events).map(([name, all]) => [name, [of(all)]]));
  const figures = Object.entries(SHARES).map(([name, share]): Figure => ({
    what: `${name} of the responses`,
    unit: 'ms',
    digits: 1,
    values: values((all) =>
      percentile(
        all.map(({ ms }) => ms),
        share,
      ),
    ),
  }));
  figures.push({
    what: 'Refused, for Slack to send again',
    unit: 'events',
    values: values((all) => all.filter(({ isRefused }) => isRefused).length),
  });
  return [
    {
      title: 'Acknowledging events',
      text: `${EVENTS.toLocaleString('en')} signed events, ${PER_SECOND} a second, whether earlier ones were acknowledged or not; one in fifty mentions the bot. Times are counted from the moment at which an event was due. Parley’s front includes the simulated API Gateway, and stores and queues what it acknowledges.`,
      figures,
    },
  ];
}

type Acknowledged = { readonly ms: number; readonly isRefused: boolean };

async function acknowledge(subject: Subject): Promise<Acknowledged[]> {
  const sent: Promise<Acknowledged>[] = [];
  const start = performance.now();
  for (let n = 0; n < EVENTS; n += 1) {
    const due = start + (n * 1_000) / PER_SECOND;
    await after(Math.max(0, due - performance.now()));
    sent.push(post(subject, n).then((isRefused) => ({ ms: performance.now() - due, isRefused })));
  }
  return Promise.all(sent);
}

/** Returns whether the event was refused. */
async function post({ slack, eventsUrl }: Subject, n: number): Promise<boolean> {
  const body = JSON.stringify(eventOf(slack, n));
  const timestamp = Math.floor(Date.now() / 1_000);
  const response = await fetch(eventsUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': sign(slack.signingSecret, timestamp, body),
    },
    body,
  });
  await response.arrayBuffer();
  return !response.ok;
}

function eventOf({ teamId, channel, botUserId }: Subject['slack'], n: number): object {
  const ts = `17000${String(n).padStart(5, '0')}.000100`;
  const isMention = n % MENTION_EVERY === 0;
  return {
    type: 'event_callback',
    team_id: teamId,
    api_app_id: 'A0PARLEY00',
    event_id: `EvINGEST${n}`,
    event_time: 1_700_000_000 + n,
    authorizations: [{ team_id: teamId, user_id: botUserId, is_bot: true }],
    event: {
      type: isMention ? 'app_mention' : 'message',
      user: PEOPLE[n % PEOPLE.length]?.id,
      text: `${isMention ? `<@${botUserId}> ` : ''}[[sim:say=ok]] ${n}`,
      ts,
      event_ts: ts,
      channel,
      channel_type: 'channel',
      ...(!isMention && { thread_ts: '1690000000.000100' }),
    },
  };
}
