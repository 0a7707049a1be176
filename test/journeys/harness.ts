import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TemplateBuild } from '../../infra/local/emulator.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { type LocalOptions, type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { closeWithoutSecrets } from './expect-no-secrets.ts';
import { recorderFromEnvironment } from '../simulators/recorder.ts';
import { sign, type SlackSimulator } from '../simulators/slack/index.ts';
import type { Message, SlackSimulatorOptions, SlackWorkspace } from '../simulators/slack/index.ts';
import type { UpstreamSimulator, UpstreamSimulatorOptions } from '../simulators/upstream/index.ts';

/** The whole local system with both simulators, as `npm start` runs it, on a folder of its own. */
export type JourneyHarness = {
  readonly system: LocalSystem;
  readonly slack: SlackSimulator;
  readonly upstream: UpstreamSimulator;
};

/** A folder for a system's data, with its removal. */
export function dataFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'parley-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The template of this source, of which a process of tests needs only one. */
let template: Promise<TemplateBuild> | undefined;
export const buildOnce = (): Promise<TemplateBuild> => (template ??= buildTemplate());

/** Starts the system. The relay of Discord, a process of its own, runs only if `options` say so. */
export async function startJourneyHarness(
  data: string,
  options: Partial<LocalOptions> = {},
): Promise<JourneyHarness> {
  const upstream = { ...limitHeadersAsked(), paceMs: 0, ...options.upstream };
  const slackOptions = {
    record: recorderFromEnvironment(),
    // A journey does within seconds what people do in minutes, and would wait for most of the time: see slack-stream-limits.test.ts.
    enforceTiers: false,
    ...distributionAsked(),
    ...options.slack,
  };
  const discord = { record: recorderFromEnvironment(), ...options.discord };
  const defaults = { data, port: 0, relay: false, build: buildOnce };
  const running = await startLocal({ ...defaults, ...options, upstream, slack: slackOptions, discord });
  const slack = running.slack.simulator;
  const models = running.upstream.simulator;
  if (!slack || !models) throw new Error('the system runs on real services');
  let stopping: Promise<void> | undefined;
  const close = (): Promise<void> => (stopping ??= closeWithoutSecrets(data, running));
  return { system: { ...running, close }, slack, upstream: models };
}

/** `LIMIT_HEADERS=none` runs the journeys on models without limit headers, as many servers of the format are. */
function limitHeadersAsked(): Pick<UpstreamSimulatorOptions, 'limitHeaders'> {
  const limitHeaders = process.env['LIMIT_HEADERS'];
  return limitHeaders === 'none' || limitHeaders === 'retry-after' ? { limitHeaders: limitHeaders } : {};
}

/**
 * `SLACK_DISTRIBUTION=outside-marketplace` runs the journeys with an app that may read history once a minute, 15
 * messages at most. Each read in a journey has a minute of its own: see `allowHistoryReads` of the simulated
 * workspace.
 */
export const IS_OUTSIDE_MARKETPLACE = process.env['SLACK_DISTRIBUTION'] === 'outside-marketplace';
const distributionAsked = (): Pick<SlackSimulatorOptions, 'distribution'> =>
  IS_OUTSIDE_MARKETPLACE ? { distribution: 'outside-marketplace' } : {};

/** The messages of the bot in a thread, oldest first. */
export function botMessages(slack: SlackSimulator, thread: string, channel = slack.channel): Message[] {
  return messagesIn(slack, channel).filter(
    (message) => message.thread === thread && message.user === slack.botUserId,
  );
}

/** Resolves with the bot's messages in a thread once there are `count` of them and none is still streaming. */
export function answersIn(
  slack: SlackSimulator,
  thread: string,
  count = 1,
  channel = slack.channel,
): Promise<Message[]> {
  return slack.core.until(() => {
    const messages = botMessages(slack, thread, channel);
    const whole = messages.length >= count && messages.every(({ stream }) => stream?.open !== true);
    return whole ? messages : undefined;
  });
}

/** The public messages of the bot in a thread, oldest first. */
export function visibleTexts({ slack }: JourneyHarness, thread: string, channel = slack.channel): string[] {
  return messagesIn(slack, channel)
    .filter((one) => (one.thread === thread || one.ts === thread) && one.ephemeralTo === undefined)
    .filter(({ user }) => user === slack.botUserId)
    .map(({ text }) => text);
}

/** What a message shows, as JSON. */
export const contentOf = (message: Message | undefined): string =>
  JSON.stringify([message?.text, message?.blocks]);

/** What a message shows, with the steps of an answer, as JSON. */
export const contentWithSteps = (message: Message | undefined): string =>
  JSON.stringify([message?.text, message?.steps, message?.blocks]);

/** The id of the person with this name. */
export function userIdOf({ users }: SlackWorkspace, name: string): string {
  const user = users.find((one) => one.name === name);
  if (!user) throw new Error(`there is no person ${name}`);
  return user.id;
}

/** All messages in a channel, oldest first. */
export const messagesIn = (slack: SlackWorkspace, channel = slack.channel): Message[] => [
  ...(slack.core.state.messages.get(channel)?.values() ?? []),
];

/** The ephemeral messages for one person in a channel. */
export const ephemeralMessagesTo = (slack: SlackWorkspace, name: string, channel?: string): Message[] =>
  messagesIn(slack, channel).filter(({ ephemeralTo }) => ephemeralTo === userIdOf(slack, name));

/** The last request for an answer, as JSON. */
export const lastCompletionRequest = ({ upstream }: JourneyHarness): string =>
  JSON.stringify(upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body ?? '');

/** Posts an event to the front as Slack would, signed. */
export function postEvent(
  { slack, system }: JourneyHarness,
  event: object,
  more: object = {},
): Promise<Response> {
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: slack.teamId,
    event_id: `Ev${JSON.stringify(event).length}`,
    authorizations: [{ team_id: slack.teamId, user_id: slack.botUserId, is_bot: true }],
    event,
    ...more,
  });
  const timestamp = Math.floor(Date.now() / 1000);
  return fetch(`${system.local.api}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': sign(slack.signingSecret, timestamp, body),
    },
    body,
  });
}

/** The channel with that name, or the one with exactly these members. */
export function channelOf({ slack }: JourneyHarness, name: string): string {
  const channel = [...slack.core.state.channels.values()].find(
    (one) => one.name === name || one.kind === name,
  );
  if (!channel) throw new Error(`there is no channel ${name}`);
  return channel.id;
}

/** Resolves once all queues are empty and no task runs. */
export function queuesAreEmpty({ emulator: cloud }: LocalSystem): Promise<void> {
  const idle = (name: string): boolean => cloud.queues.messages(name).every(isSecondPass);
  return waitUntil(() => cloud.resources.queues.every(({ name }) => idle(name)));
}

/** The second pass after an uninstall waits for minutes. */
const isSecondPass = ({ body }: { readonly body: string }): boolean => body.includes('"secondPass"');

/**
 * Resolves once this holds, for conditions that the simulated Slack does not signal: its `until` checks only after
 * its own changes.
 */
export async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setTimeout(resolve, 10));
}
