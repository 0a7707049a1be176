import * as v from 'valibot';
import { askTestQuestion } from '../../../functions/composition/canary-question.ts';
import { createWebCall } from '../../../shared/platforms/slack/index.ts';
import { ROUTES, systemTime } from '../../../shared/runtime/index.ts';
import { type LocalConfig, readCheckedConfig } from '../../configuration/index.ts';
import { type LocalSystem, startLocal, StartupError } from '../../local/index.ts';
import { checkSlackChannel } from '../doctor/checks/check-slack-channel.ts';
import { editApplication } from './edit-application.ts';
import { type Question, SetupError } from './question.ts';
import type { SetupSession } from './session.ts';

const SERVICE_TIMEOUT_MS = 10_000;
const POLL_MS = 1_000;

const CHANNEL_QUESTION: Question = {
  id: 'slack.channel',
  kind: 'text',
  message: 'Id of a Slack channel for a test question, after /invite @parley there (empty: none)',
  isOptional: true,
  findProblem: (answer) =>
    /^[CG][A-Z0-9]{6,}$/.test(answer) ? undefined : 'it starts with C: "View channel details", at the end',
};
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
  const tunnel = platforms.includes('discord') ? await session.ask(TUNNEL_QUESTION) : '';
  const channel = platforms.includes('slack') ? await askForChannel(session, config) : undefined;
  if (tunnel === '' && channel === undefined) return;
  say('Starting Parley. The first start takes a while ...');
  const variables = session.variables;
  // Only a tunnel needs this port.
  const system = await startLocal({ data, port: tunnel === '' ? 0 : port, variables, say }).catch(
    (error: unknown) => {
      if (!(error instanceof StartupError)) throw error;
      throw new SetupError(
        `${error.message}\nThe settings are in .env. Correct this, and run "npx parley setup" again.`,
      );
    },
  );
  try {
    if (tunnel !== '') await enterAddress(session, config, tunnel, port);
    if (channel !== undefined) await askInSlack(session, system, channel);
  } finally {
    await system.close();
  }
}

/** Asks for a channel until the bot is a member of it. Undefined without one. */
async function askForChannel(session: SetupSession, { slack }: LocalConfig): Promise<string | undefined> {
  if (slack.kind === 'simulated') return undefined;
  for (;;) {
    const channel = await session.ask(CHANNEL_QUESTION);
    if (channel === '') return undefined;
    const check = await checkSlackChannel(slack, channel, session.options.createProbe(SERVICE_TIMEOUT_MS));
    if (session.accepts([check])) return channel;
    session.forget(CHANNEL_QUESTION.id);
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
      `Discord does not accept ${url}: ${refusal}. See that the tunnel leads to port ${port}, then run "npx parley setup" again.`,
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

async function askInSlack(
  { options: { say } }: SetupSession,
  { local: { api, slack } }: LocalSystem,
  channel: string,
): Promise<void> {
  const call = createWebCall({ slackApiUrl: slack.apiUrl, token: async () => slack.botToken });
  const { members } = v.parse(usersSchema, await call('users.list', { limit: 200 }));
  const people = members.filter(({ id, deleted, is_bot: isBot }) => !deleted && !isBot && id !== 'USLACKBOT');
  const person = people.find(({ is_admin: isAdmin }) => isAdmin) ?? people[0];
  if (person === undefined) return say('The test question was not asked: Slack lists no person.');
  say(`Asking a question in ${channel} ...`);
  try {
    const { question, text, timeMs } = await askTestQuestion(
      {
        call,
        post: async (body, headers) => {
          const signal = AbortSignal.timeout(SERVICE_TIMEOUT_MS);
          return (await fetch(api + ROUTES.slackEvents, { method: 'POST', body, headers, signal })).status;
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
