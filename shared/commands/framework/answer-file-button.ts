import type { CommandsContext } from '../context.ts';
import {
  channelId,
  type MessageId,
  messageId,
  type TaskResult,
  type Thread,
  type TurnRef,
} from '../../domain/index.ts';
import { buildAnswerFiles, type TextFile } from '../../chat/index.ts';
import { CannotPostError, FileUnavailableError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { localize, type TextMessage } from '../../i18n/index.ts';
import { iterableOf } from '../../utils/index.ts';
import { type InteractionRequest, type CommandHandler, staleReply, replyCard, textCard } from './types.ts';

/**
 * Handles the buttons of a long answer, `file.text|root|question` and `file.code|root|question`: posts the answer, or its code, as
 * files in the thread, for the person who asked. The same answer is posted once, however often the button is pressed.
 */
export const run: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, locale, interaction } = request;
  const [root = '', question = ''] = payload.action.args;
  const { platform, workspace, channel } = interaction;
  const kind = payload.action.name === 'file.code' ? 'code' : 'text';
  if (channel === undefined || root === '' || question === '') return staleReply(request, context);
  const thread: Thread = { platform, workspace, channel: channelId(channel), root: messageId(root) };
  const stored = await context.turns.findByMessage(thread, messageId(question));
  const outcome = stored?.content?.outcome;
  const reply = (...[text, values]: TextMessage): Promise<TaskResult> =>
    replyCard(request, textCard(localize(locale, text, values)), context);
  if (!stored || outcome?.kind !== 'answered') return reply('answers.redo.gone');
  // What a private answer says is for its asker only, whoever knows its id.
  if (stored.turn.asker !== interaction.by.user) return reply('answers.redo.not-yours');
  const files = buildAnswerFiles(outcome, kind);
  if (files.length === 0) return reply('answers.file.no-code');
  try {
    const messages: MessageId[] = [];
    for (const file of files) messages.push(...(await postOnce(file, stored.turn, request, context)));
    if (messages.length === 0) return await reply('answers.file.busy');
    return await reply('answers.file.there', { links: await linksTo(messages, thread, context) });
  } catch (error) {
    if (error instanceof FileUnavailableError) return reply(...error.why);
    if (error instanceof CannotPostError || error instanceof ThreadDeletedError)
      return reply('answers.file.closed');
    throw error;
  }
};

/** Posts a file unless it was posted. Returns its messages; none while another request posts it. */
async function postOnce(
  file: TextFile,
  turn: TurnRef,
  { interaction }: InteractionRequest,
  { messenger, answerFiles }: Pick<CommandsContext, 'messenger' | 'answerFiles'>,
): Promise<readonly MessageId[]> {
  const { id, earlier } = await answerFiles.claim(turn, file, interaction.id);
  if (earlier && (earlier.messages.length > 0 || earlier.claim !== interaction.id)) return earlier.messages;
  const content = Buffer.from(file.text);
  const { name, mimetype, snippetType } = file;
  const upload = { name, mimetype, snippetType, bytes: content.byteLength, content: iterableOf(content) };
  try {
    const message = await messenger.upload(turn.thread, upload, `${turn.message}#${id}`);
    await answerFiles.addMessage(turn, id, message);
    return [message];
  } catch (error) {
    // The person may ask again. Any other error: the task is delivered again, and finds the file by its key.
    const isFinal = [FileUnavailableError, CannotPostError, ThreadDeletedError].some(
      (one) => error instanceof one,
    );
    if (isFinal) await answerFiles.release(turn, id);
    throw error;
  }
}

async function linksTo(
  messages: readonly MessageId[],
  thread: Thread,
  { messenger }: Pick<CommandsContext, 'messenger'>,
): Promise<string> {
  const links = await Promise.all(
    messages.map((message) => messenger.getPermalink(thread, message).catch(() => undefined)),
  );
  return links.flatMap((link, place) => (link === undefined ? [] : `[${place + 1}](${link})`)).join(' ');
}
