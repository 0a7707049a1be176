import type { CommandsContext } from '../context.ts';
import {
  channelId,
  isDirectMessage,
  type MessageId,
  messageId,
  type Thread,
  type TurnRef,
} from '../../domain/index.ts';
import { buildAnswerFiles, type TextFile } from '../../chat/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  ResponseOnlyError,
  ThreadDeletedError,
  type Upload,
} from '../../platforms/ports/index.ts';
import { localize, type TextMessage } from '../../i18n/index.ts';
import { iterableOf } from '../../utils/index.ts';
import { AnswerErasedError, postCanvas, type StoredText } from './answer-canvas.ts';
import { type InteractionRequest, type CommandHandler, replyStale, replyCard } from '../framework/types.ts';

type ActionRequest = InteractionRequest<'action' | 'form'>;

/** A sentence for the person, and the addresses in it that the bot itself links to. */
type Sentence = { readonly text: TextMessage; readonly urls?: readonly string[] };
const BUSY: Sentence = { text: ['answers.file.busy'] };

/**
 * Handles the buttons of a long answer, `file.text|root|question`, `file.code|…` and `file.canvas|…`: posts the answer, its code, or a link to
 * its canvas in the thread, for the person who asked. The same answer is posted once, however often the button is pressed. Where there is no
 * canvas to be had, it is a file.
 */
export const run: CommandHandler<ActionRequest> = async (request, context) => {
  const { payload, interaction } = request;
  const [root = '', question = ''] = payload.action.args;
  const { platform, workspace, channel } = interaction;
  if (channel === undefined || root === '' || question === '') return replyStale(request, context);
  const thread: Thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  const match = await context.turns.findByMessage(thread, messageId(question));
  const outcome = match?.content?.outcome;
  const reply = (...sentences: readonly Sentence[]) => {
    const markdown = sentences.map(({ text }) => localize(request.locale, ...text)).join(' ');
    const ownLinks = sentences.flatMap(({ urls = [] }) => urls);
    return replyCard(request, { parts: [{ kind: 'text', markdown, ownLinks }] }, context);
  };
  if (!match || outcome?.kind !== 'answered') return reply({ text: ['answers.redo.gone'] });
  // What a private answer says is for its asker only, whoever knows its id.
  if (match.turn.asker !== interaction.by.user) return reply({ text: ['answers.redo.not-yours'] });
  const stored = { turn: match.turn, question: match.content?.question ?? '', text: outcome.text };
  try {
    return await reply(...(await post(payload.action.name, stored, request, context)));
  } catch (error) {
    if (error instanceof FileUnavailableError) return reply({ text: error.why });
    if (error instanceof AnswerErasedError) return reply({ text: ['answers.redo.gone'] });
    if (error instanceof CannotPostError || error instanceof ThreadDeletedError)
      return reply({ text: ['answers.file.closed'] });
    throw error;
  }
};

/** Posts what a button names. Returns the sentences for the person. */
async function post(
  button: string,
  stored: StoredText,
  request: ActionRequest,
  context: CommandsContext,
): Promise<readonly Sentence[]> {
  if (button !== 'file.canvas')
    return postFiles(button === 'file.code' ? 'code' : 'text', stored, request, context);
  try {
    const { locale, interaction } = request;
    const canvas = await postCanvas(stored, { request: interaction.id, locale }, context);
    if (!canvas) return [BUSY];
    const isHidden = canvas.readers === 'asker' && !isDirectMessage(stored.turn.thread);
    return [
      { text: ['answers.file.there', { links: `[${canvas.title}](${canvas.url})` }], urls: [canvas.url] },
      ...(isHidden ? [{ text: ['answers.canvas.only-you'] as const }] : []),
    ];
  } catch (error) {
    if (!(error instanceof FileUnavailableError)) throw error;
    return [
      { text: error.why },
      ...(await postFiles('text', stored, request, context, 'answers.file.instead')),
    ];
  }
}

async function postFiles(
  kind: 'text' | 'code',
  { turn, text }: StoredText,
  request: ActionRequest,
  context: CommandsContext,
  success: 'answers.file.there' | 'answers.file.instead' = 'answers.file.there',
): Promise<readonly Sentence[]> {
  const files = buildAnswerFiles({ text }, kind);
  if (files.length === 0) return [{ text: ['answers.file.no-code'] }];
  try {
    const links: { readonly name: string; readonly url: string | undefined }[] = [];
    for (const file of files)
      for (const message of await postOnce(file, turn, request, context)) {
        const url = await context.messenger.getPermalink(turn.thread, message).catch(() => undefined);
        links.push({ name: file.name, url });
      }
    if (links.length === 0) return [BUSY];
    const named = links.map(({ name, url }) => (url === undefined ? `\`${name}\`` : `[${name}](${url})`));
    return [{ text: [success, { links: named.join(', ') }], urls: links.flatMap(({ url }) => url ?? []) }];
  } catch (error) {
    if (!(error instanceof ResponseOnlyError)) throw error;
    // Ephemeral messages go, so each press sends them again.
    for (const file of files)
      await context.messenger.sendFilePrivately(
        request.interaction,
        toUpload(file),
        `${turn.message}#${file.name}`,
      );
    return [{ text: ['answers.file.private', { names: files.map(({ name }) => name).join(', ') }] }];
  }
}

/** Posts a file unless it was posted. Returns its messages; none while another request posts it. */
async function postOnce(
  file: TextFile,
  turn: TurnRef,
  { interaction }: ActionRequest,
  { messenger, answerFiles }: Pick<CommandsContext, 'messenger' | 'answerFiles'>,
): Promise<readonly MessageId[]> {
  const { id, earlier } = await answerFiles.claim(turn, file, interaction.id);
  if (earlier && (earlier.messages.length > 0 || earlier.claim !== interaction.id)) return earlier.messages;
  try {
    const message = await messenger.upload(turn.thread, toUpload(file), `${turn.message}#${id}`);
    if (await answerFiles.addMessage(turn, id, message)) return [message];
    // Not left to another delivery: it would be refused, since the button was pressed before the erasure.
    await messenger.removeCard(turn.thread, message);
    throw new AnswerErasedError();
  } catch (error) {
    // The person may ask again. Any other error: the task is delivered again, and finds the file by its key.
    const isFinal = [
      AnswerErasedError,
      FileUnavailableError,
      CannotPostError,
      ThreadDeletedError,
      ResponseOnlyError,
    ].some((one) => error instanceof one);
    if (isFinal) await answerFiles.release(turn, id);
    throw error;
  }
}

function toUpload({ name, mimetype, snippetType, text }: TextFile): Upload {
  const content = Buffer.from(text);
  return { name, mimetype, snippetType, bytes: content.byteLength, content: iterableOf(content) };
}
