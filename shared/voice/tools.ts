import {
  PLATFORM_TRAITS,
  type Attachment,
  splitRecordings,
  recordingKey,
  type TurnRef,
} from '../domain/index.ts';
import { type FoundMessage, HistoryUnavailableError } from '../platforms/ports/index.ts';
import { resolve } from '../settings/rules/index.ts';
import { type ChatTool, ToolError, type ToolResult } from '../ports/index.ts';
import { type Locale, LOCALES, localize } from '../i18n/index.ts';
import { TRANSCRIBE_MENU_COMMAND } from './command-names.ts';
import { requestTranscription, type RequestTranscriptionContext } from './request-transcription.ts';

/**
 * Returns the tool that transcribes and translates recordings of the thread. Recordings of questions are already in the
 * prompt, so the tool is offered only where there may be others: the thread was not started by a question to the bot, the
 * bot receives only messages that mention it, or the root message of its thread is outside of it.
 */
export function createVoiceTools(
  turn: TurnRef,
  isRootOurs: boolean,
  context: RequestTranscriptionContext,
): readonly ChatTool[] {
  const mayHaveOthers =
    !isRootOurs ||
    PLATFORM_TRAITS[turn.thread.platform].isRootOutsideThread ||
    resolve('mentions', context.settings.layers).value === 'only';
  const findRecordings = context.platform.findRecordings(turn);
  return mayHaveOthers && findRecordings ? [transcribeTool(turn, findRecordings, context)] : [];
}

type FindRecordings = () => Promise<readonly FoundMessage[]>;

function transcribeTool(
  turn: TurnRef,
  findRecordings: FindRecordings,
  context: RequestTranscriptionContext,
): ChatTool {
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
      const language = LOCALES.find((supported) => supported === to);
      if (to !== undefined && !language)
        throw new ToolError(`“translate_to” has to be one of ${LOCALES.join(', ')}.`);
      if (typeof recording !== 'string' && typeof recording !== 'number')
        throw new ToolError('“recording” has to be a name or a number.');
      return {
        title: localize(locale, TRANSCRIBE_MENU_COMMAND),
        status: ['answers.status.thinking'],
        run: () =>
          transcribeForModel(
            turn,
            findRecordings,
            { name: `${recording}`.trim(), to: language, locale },
            context,
          ),
      };
    },
  };
}

type TranscribeArguments = {
  /** The recording, as named by the model; empty if it named none. */
  readonly name: string;
  readonly to: string | undefined;
  readonly locale: Locale;
};

async function transcribeForModel(
  turn: TurnRef,
  findRecordings: FindRecordings,
  { name, to, locale }: TranscribeArguments,
  context: RequestTranscriptionContext,
): Promise<ToolResult> {
  const { asker: user, askerWorkspace: workspace } = turn;
  const messages = await findRecordings().catch((error: unknown) => {
    throw toHistoryError(error, turn, locale);
  });
  const { message, file } = pickRecording(messages, name, locale);
  const request = { message: { ...message, attachments: [file] }, by: { user, workspace }, to, locale };
  const outcome = await requestTranscription(
    { ...request, key: `tool#${recordingKey(file)}#${to ?? ''}` },
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

/** Describes why the history of the thread could not be read. */
function toHistoryError(error: unknown, { thread }: TurnRef, locale: Locale): ToolError {
  if (!(error instanceof HistoryUnavailableError) || error.reason !== 'slowed')
    return new ToolError(
      'The thread cannot be looked through just now.',
      localize(locale, 'answers.tool.broken'),
    );
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
  return new ToolError(
    `The thread can be looked through again in ${seconds} s: the person can ask again then.`,
    localize(locale, 'summary.refused.slowed', { platform: PLATFORM_TRAITS[thread.platform].name, seconds }),
  );
}

type Recording = { readonly message: FoundMessage; readonly file: Attachment };

/** Returns the recording that the model named. Throws a ToolError that lists the choices. */
function pickRecording(messages: readonly FoundMessage[], name: string, locale: Locale): Recording {
  const all = messages.flatMap((message) =>
    splitRecordings(message).recordings.map((file): Recording => ({ message, file })),
  );
  if (all.length === 0)
    throw new ToolError('There is no recording in this thread.', localize(locale, 'voice.none-here'));
  // A single recording matches every name.
  const matches = all.filter(
    ({ file }, i) => name === '' || all.length === 1 || name === `${i + 1}` || name === file.name,
  );
  const [only, another] = matches;
  if (only && !another) return only;
  const list = all.map(({ message, file }, i) => `${i + 1}. “${file.name}” of <@${message.author}>`);
  const problem = only ? 'Say which one, by its number' : 'There is no such recording';
  throw new ToolError(`${problem}. There are, oldest first: ${list.join('; ')}.`);
}
