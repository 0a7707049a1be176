import { readCheckedConfig } from '../../configuration/index.ts';
import { checkSlackChannel } from '../doctor/checks/check-slack-channel.ts';
import type { Question } from './question.ts';
import type { SetupSession } from './session.ts';

const SERVICE_TIMEOUT_MS = 10_000;

const CHANNEL_QUESTION: Question = {
  id: 'slack.channel',
  kind: 'text',
  message: 'Id of a Slack channel for a test question, after /invite @parley there (empty: none)',
  isOptional: true,
  findProblem: (answer) =>
    /^[CG][A-Z0-9]{6,}$/.test(answer) ? undefined : 'it starts with C: "View channel details", at the end',
};

/** Asks for a channel until the bot is a member of it. Undefined without one, or with a simulated Slack. */
export async function askForChannel(session: SetupSession): Promise<string | undefined> {
  const { slack } = readCheckedConfig(session.variables).config;
  if (slack.kind === 'simulated') return undefined;
  for (;;) {
    const channel = await session.ask(CHANNEL_QUESTION);
    if (channel === '') return undefined;
    const check = await checkSlackChannel(slack, channel, session.options.createProbe(SERVICE_TIMEOUT_MS));
    if (session.accepts([check])) return channel;
    session.forget(CHANNEL_QUESTION.id);
  }
}
