import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalOptions, type LocalSystem, startLocal } from '../../infra/local/system.ts';
import type { SlackSimulator } from '../simulators/slack/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';

/** The whole local system with both simulators, as `npm start` runs it, on a folder of its own. */
export type Journey = {
  readonly system: LocalSystem;
  readonly slack: SlackSimulator;
  readonly upstream: UpstreamSimulator;
};

/** A folder for a system's data, and how to be rid of it. */
export function dataFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'parley-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startJourney(data: string, options: Partial<LocalOptions> = {}): Promise<Journey> {
  const system = await startLocal({ data, port: 0, upstream: { paceMs: 0 }, ...options });
  const slack = system.slack.simulator;
  const upstream = system.upstream.simulator;
  if (!slack || !upstream) throw new Error('the system runs on real services');
  return { system, slack, upstream };
}

/** The messages of the bot in a thread, oldest first. */
export function botMessages(slack: SlackSimulator, thread: string, channel = slack.channel): Message[] {
  const inChannel = [...(slack.core.state.messages.get(channel)?.values() ?? [])];
  return inChannel.filter((message) => message.thread === thread && message.user === slack.botUserId);
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
