import type { LocalSystem } from '../../infra/local/system.ts';
import type { Tab } from '../../test/browser/tab.ts';
import { discordVoiceMessage, slackVoiceClip } from '../../test/simulators/recording/voice-message.ts';
import {
  EXAMPLE_CHAT,
  EXAMPLE_CODE,
  EXAMPLE_COMPARISON,
  EXAMPLE_PLAN,
  EXAMPLE_RECORDING,
  EXAMPLE_TASKS,
} from './example-answers.ts';

/** Photographs a page. `prepare` waits for what the picture shows. */
export type TakePicture = (
  url: string,
  file: string,
  prepare?: (tab: Tab) => Promise<unknown>,
) => Promise<void>;

const ANSWER_MS = 30_000;
/** A pace at which an answer still grows while the picture is taken. */
const SLOW_MS = 150;

/** The next answer of the simulated models. */
const answerWith = ({ upstream: { simulator } }: LocalSystem, text: string): void =>
  void simulator?.control.fail({ kind: 'say', text });

/** A thread with an answer, one that grows, and a voice message with its transcript. */
export async function slackPictures(system: LocalSystem, take: TakePicture): Promise<void> {
  const slack = system.slack.simulator;
  if (!slack) throw new Error('the picture is of the simulated Slack');
  const inThread = (thread: string) =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
      (one) => one.thread === thread && one.user === slack.botUserId,
    );
  const answered = (thread: string, count: number) =>
    slack.core.until(() => {
      const answers = inThread(thread);
      return answers.length >= count && answers.every((one) => one.stream?.open !== true) ? true : undefined;
    }, AbortSignal.timeout(ANSWER_MS));
  for (const [person, text] of EXAMPLE_CHAT) await slack.say(person, text);
  answerWith(system, EXAMPLE_COMPARISON);
  const thread = await slack.say('ada', '@parley Which of our plans fits a team of 40 people?');
  await answered(thread, 1);
  answerWith(system, EXAMPLE_PLAN);
  system.upstream.simulator?.control.fail({ kind: 'slow', ms: SLOW_MS });
  await slack.say('grace', 'And what would moving there take?', { thread });
  await take(`${slack.url}/#grace/${slack.channel}/${thread}`, 'slack.png', (tab) =>
    tab.until(`document.querySelector('#thread-log').textContent.includes('Connect single')`),
  );
  await answered(thread, 2);

  const recorded = await slack.say('grace', '', { files: [await slackVoiceClip(EXAMPLE_RECORDING)] });
  await slack.shortcut('ada', 'transcribe', recorded);
  await answered(recorded, 1);
  answerWith(system, EXAMPLE_TASKS);
  await slack.say('ada', '@parley What is there for me to do?', { thread: recorded });
  await answered(recorded, 2);
  await take(`${slack.url}/#ada/${slack.channel}/${recorded}`, 'voice-slack.png', (tab) =>
    tab.until(`document.querySelector('#thread-log').textContent.includes('Grace needs')`),
  );
}

/** A thread with an answer, and a voice message with its transcript. */
export async function discordPictures(system: LocalSystem, take: TakePicture): Promise<void> {
  const discord = system.discord.simulator;
  if (!discord) throw new Error('the picture is of the simulated Discord');
  const { applicationId } = discord;
  const answers = (channel: string) =>
    discord.core.until(() => {
      const all = discord.core.messages(channel).filter((one) => JSON.stringify(one).includes(applicationId));
      return all.some((one) => JSON.stringify(one).includes('press.regenerate')) ? all : undefined;
    }, AbortSignal.timeout(ANSWER_MS));
  answerWith(system, EXAMPLE_CODE);
  const asked = discord.say('lin', undefined, '@parley How do I retry a failed download in TypeScript?');
  await answers(asked);
  await take(`${discord.url}/#lin/${asked}`, 'discord.png');

  const file = await discordVoiceMessage(EXAMPLE_RECORDING);
  const recorded = discord.say('grace', undefined, '', { files: [file], voice: true });
  await discord.menu('ada', recorded, 'Transcribe');
  await discord.core.until(
    () => discord.core.messages(recorded).find((one) => JSON.stringify(one).includes('voice.translate')),
    AbortSignal.timeout(ANSWER_MS),
  );
  await take(`${discord.url}/#ada/${recorded}`, 'voice-discord.png');
}
