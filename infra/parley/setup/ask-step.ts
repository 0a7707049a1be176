import * as v from 'valibot';
import { askTestQuestion } from '../../../functions/composition/canary-question.ts';
import { createWebCall } from '../../../shared/platforms/slack/index.ts';
import { ROUTES, systemTime } from '../../../shared/runtime/index.ts';
import { type LocalConfig, readCheckedConfig } from '../../configuration/index.ts';
import { type LocalSystem, startLocal, StartupError } from '../../local/index.ts';
import { askForChannel } from './ask-for-channel.ts';
import { editApplication } from '../discord/edit-application.ts';
import { type Question, SetupError } from './question.ts';
import type { SetupSession } from './session.ts';

const SERVICE_TIMEOUT_MS = 10_000;
const POLL_MS = 1_000;

const TUNNEL_QUESTION: Question = {
  id: 'discord.url',
  kind: 'text',
  message: 'Https address of a tunnel to this machine, for commands and buttons of Discord (empty: none)',
  isOptional: true,
  // Discord accepts https only. A simulated Discord is on this machine.
  findProblem: (answer) =>
    /^(?:https:\/\/|http:\/\/127\.0\.0\.1:)/.test(answer) && URL.canParse(answer)
      ? undefined
      : 'it starts with https://',
};

export type LocalPlace = {
  /** The data folder of the local system. */
  readonly data: string;
  /** The port that a tunnel leads to. */
  readonly port: number;
};

/**
 * Starts the system, enters its address at Discord, asks a question in Slack, shows the answer, and stops the system. Does
 * nothing if neither is wanted. Rejects with SetupError if the system does not start.
 */
export async function tryOut(
  session: SetupSession,
  platforms: readonly string[],
  { data, port }: LocalPlace,
): Promise<void> {
  const { say } = session.options;
  const { config } = readCheckedConfig(session.variables);
  // Not remembered: many tunnels have another address after a restart.
  const tunnel = platforms.includes('discord') ? await session.options.prompter.ask(TUNNEL_QUESTION) : '';
  const channel = platforms.includes('slack') ? await askForChannel(session) : undefined;
  if (tunnel === '' && channel === undefined) return;
  say('Starting Parley. The first start takes a while ...');
  const variables = session.variables;
  // Only a tunnel needs this port.
  const system = await startLocal({ data, port: tunnel === '' ? 0 : port, variables, say }).catch(
    (error: unknown) => {
      if (!(error instanceof StartupError)) throw error;
      throw new SetupError(
        `${error.message}\nThe settings are in ${session.options.envFile}. Correct this, and run the same command again.`,
      );
    },
  );
  try {
    if (tunnel !== '') await enterAddress(session, config, tunnel, port);
    if (channel !== undefined) await askInSlack(session, toSlackAccess(system), channel);
  } finally {
    await system.close();
  }
}

async function enterAddress(
  { options: { say, createProbe } }: SetupSession,
  { discord }: LocalConfig,
  tunnel: string,
  port: number,
): Promise<void> {
  if (discord.kind !== 'real' || discord.botToken === undefined) return;
  const url = new URL(ROUTES.discordInteractions, tunnel).href;
  const access = { apiUrl: discord.apiUrl, botToken: discord.botToken };
  const refusal = await editApplication(
    access,
    { interactions_endpoint_url: url },
    createProbe(SERVICE_TIMEOUT_MS),
  );
  if (refusal === undefined) say(`Discord: commands and buttons arrive at ${url}.`);
  else
    say(
      `Discord does not accept ${url}: ${refusal}. See that the tunnel leads to port ${port}, then run the same command again.`,
    );
}

const usersSchema = v.object({
  members: v.array(
    v.object({
      id: v.string(),
      deleted: v.optional(v.boolean(), false),
      is_bot: v.optional(v.boolean(), false),
      is_admin: v.optional(v.boolean(), false),
    }),
  ),
});

/** What is needed to ask in the name of Slack. */
export type SlackAskAccess = {
  /** Where Slack posts its events. */
  readonly eventsUrl: string;
  readonly apiUrl: string;
  readonly botToken: string;
  readonly signingSecret: string;
};

const toSlackAccess = ({ local: { api, slack } }: LocalSystem): SlackAskAccess => ({
  ...slack,
  eventsUrl: api + ROUTES.slackEvents,
});

/** Asks a question in a channel, and shows its answer. Never rejects because there is none. */
export async function askInSlack(
  { options: { say } }: SetupSession,
  slack: SlackAskAccess,
  channel: string,
): Promise<void> {
  const call = createWebCall({ slackApiUrl: slack.apiUrl, token: async () => slack.botToken });
  try {
    const { members } = v.parse(usersSchema, await call('users.list', { limit: 200 }));
    const people = members.filter(
      ({ id, deleted, is_bot: isBot }) => !deleted && !isBot && id !== 'USLACKBOT',
    );
    const person = people.find(({ is_admin: isAdmin }) => isAdmin) ?? people[0];
    if (person === undefined) return say('The test question was not asked: Slack lists no person.');
    say(`Asking a question in ${channel} ...`);
    const { question, text, timeMs } = await askTestQuestion(
      {
        call,
        post: async (body, headers) => {
          const signal = AbortSignal.timeout(SERVICE_TIMEOUT_MS);
          return (await fetch(slack.eventsUrl, { method: 'POST', body, headers, signal })).status;
        },
        signingSecret: async () => slack.signingSecret,
        channel,
        person: person.id,
        time: systemTime,
        random: Math.random,
      },
      { label: 'Set-up', pollMs: POLL_MS },
    );
    say(`Question: ${question}\nAnswer after ${(timeMs / 1_000).toFixed(1)} s: ${text}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    say(
      `The test question was not answered: ${reason}. "npx parley doctor --slack-channel ${channel}" says more.`,
    );
  }
}
