import { type Attachment, splitRecordings, recordingKey, type TurnRef } from '../domain/index.ts';
import { type FoundMessage, HistoryUnavailable } from '../platforms/ports/platform.ts';
import { resolve } from '../settings/rules/index.ts';
import { PLATFORM_NAMES, type Locale, LOCALES, localize } from '../i18n/index.ts';
import type { WorkerContext } from '../context/ports.ts';
import { type ChatTool, ToolError, type ToolResult } from '../ports/chat-tool.ts';
import { TRANSCRIBE_MENU_COMMAND } from './command-names.ts';
import { requestTranscription, type RequestTranscriptionContext } from './request-transcription.ts';

type VoiceToolContext = RequestTranscriptionContext & Pick<WorkerContext, 'platform'>;

/**
 * Lets the model have the recordings of a thread written out, and translated. The words of those that came with a question
 * are in the prompt, so it is of use where others may be: where the thread was not begun by asking the bot, or the bot
 * hears only what names it; and in Discord, where a thread grows out of the question, and what that is about stands outside.
 */
export function voiceTools(
  turn: TurnRef,
  rootIsOurs: boolean,
  context: VoiceToolContext,
): readonly ChatTool[] {
  const others =
    !rootIsOurs ||
    turn.thread.platform === 'discord' ||
    resolve('mentions', context.settings.layers).value === 'only';
  const look = context.platform.findRecordings(turn);
  return others && look ? [transcribe(turn, look, context)] : [];
}

type Look = () => Promise<readonly FoundMessage[]>;

function transcribe(turn: TurnRef, look: Look, context: VoiceToolContext): ChatTool {
  return {
    definition: {
      name: 'transcribe',
      description:
        'Has a voice message, clip or video of this thread written out below it, and translated if that is wanted. Of use only if its words are not in the conversation above. Where there are several, you are told their names and numbers.',
      parameters: {
        type: 'object',
        properties: {
          recording: { type: 'string', description: 'Its name or number; not needed if there is only one' },
          translate_to: { type: 'string', enum: [...LOCALES] },
        },
      },
    },
    prepare: ({ recording = '', translate_to: to }, locale) => {
      const language = LOCALES.find((one) => one === to);
      if (to !== undefined && !language)
        throw new ToolError(`“translate_to” has to be one of ${LOCALES.join(', ')}.`);
      if (typeof recording !== 'string' && typeof recording !== 'number')
        throw new ToolError('“recording” has to be a name or a number.');
      return {
        title: localize(locale, TRANSCRIBE_MENU_COMMAND),
        status: ['answers.status.thinking'],
        run: () => written(turn, look, { which: `${recording}`.trim(), to: language, locale }, context),
      };
    },
  };
}

type Asked = {
  /** As the model names it; empty if it does not. */
  readonly which: string;
  readonly to: string | undefined;
  readonly locale: Locale;
};

async function written(
  turn: TurnRef,
  look: Look,
  { which, to, locale }: Asked,
  context: VoiceToolContext,
): Promise<ToolResult> {
  const { asker: user, askerWorkspace: workspace } = turn;
  const there = await look().catch((error: unknown) => {
    throw unread(error, turn, locale);
  });
  const { message, file } = meant(there, which, locale);
  const wanted = { message: { ...message, attachments: [file] }, by: { user, workspace }, to, locale };
  const outcome = await requestTranscription(
    { ...wanted, key: `tool#${recordingKey(file)}#${to ?? ''}` },
    context,
  );
  if (outcome.kind === 'refused') throw new ToolError(outcome.sentence, outcome.sentence);
  if (outcome.kind === 'known') {
    const words = await context.transcription.recordings.transcriptText(message.thread, message.id);
    return {
      content: `It says: ${words ?? ''}`,
      summary: localize(locale, 'voice.already', { link: outcome.link }),
    };
  }
  return {
    content:
      'It is being written out below the message, which takes a while. Tell the person so in a sentence; they can ask about it once the words are there.',
    summary: localize(locale, 'voice.queued'),
  };
}

/** Why the thread could not be looked through. */
function unread(error: unknown, { thread }: TurnRef, locale: Locale): ToolError {
  if (!(error instanceof HistoryUnavailable) || error.reason !== 'slowed')
    return new ToolError(
      'The thread cannot be looked through just now.',
      localize(locale, 'answers.tool.broken'),
    );
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
  return new ToolError(
    `The thread can be looked through again in ${seconds} s: the person can ask again then.`,
    localize(locale, 'summary.refused.slowed', { platform: PLATFORM_NAMES[thread.platform], seconds }),
  );
}

type Recording = { readonly message: FoundMessage; readonly file: Attachment };

/** The recording that a model means. Throws ToolError, with what there is to choose from. */
function meant(there: readonly FoundMessage[], which: string, locale: Locale): Recording {
  const all = there.flatMap((message) =>
    splitRecordings(message).recordings.map((file): Recording => ({ message, file })),
  );
  if (all.length === 0)
    throw new ToolError('There is no recording in this thread.', localize(locale, 'voice.none-here'));
  // Whatever it calls the only one that there is.
  const named = all.filter(
    ({ file }, i) => which === '' || all.length === 1 || which === `${i + 1}` || which === file.name,
  );
  const [only, another] = named;
  if (only && !another) return only;
  const list = all.map(({ message, file }, i) => `${i + 1}. “${file.name}” of <@${message.author}>`);
  const problem = only ? 'Say which one, by its number' : 'There is no such recording';
  throw new ToolError(`${problem}. There are, oldest first: ${list.join('; ')}.`);
}
