import type { CommandsContext } from '../context.ts';
import type { MessageId, TurnRef } from '../../domain/index.ts';
import {
  CannotPostError,
  type CanvasReaders,
  FileUnavailableError,
  ThreadDeletedError,
} from '../../platforms/ports/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { truncateText } from '../../utils/index.ts';

/** An answer as it is stored. */
export type StoredText = { readonly turn: TurnRef; readonly question: string; readonly text: string };

/** A canvas, and who can open it. */
export type PostedCanvas = { readonly title: string; readonly url: string; readonly readers: CanvasReaders };

/** The answer was erased while its file or canvas was posted. The post is deleted. */
export class AnswerErasedError extends Error {
  override readonly name = 'AnswerErasedError';
}

const MAX_TITLE_LENGTH = 80;

/**
 * Makes a canvas of an answer, and posts a card that links to it in the thread: once for each text. Only then is the canvas filled, so that
 * whatever deletes the messages of an answer also finds it. Undefined while another request does so. Each repetition completes what an earlier
 * one left. Rejects with FileUnavailableError where there is no canvas to be had, and with AnswerErasedError; then nothing is left of it.
 */
export async function postCanvas(
  { turn, question, text }: StoredText,
  { request, locale }: { readonly request: string; readonly locale: Locale },
  { messenger, answerFiles }: Pick<CommandsContext, 'messenger' | 'answerFiles'>,
): Promise<PostedCanvas | undefined> {
  const { thread, message: answered, asker } = turn;
  const { id, earlier } = await answerFiles.claim(turn, { name: 'canvas', text }, request);
  if (earlier?.messages.length === 0 && earlier.claim !== request) return undefined;
  const key = `${answered}#${id}`;
  const title = createTitle(question, text) || localize(locale, 'answers.button.file-canvas');
  let message: MessageId | undefined;
  try {
    const canvas = await messenger.createCanvas(thread, title, key);
    const { url } = canvas;
    const markdown = localize(locale, 'answers.canvas.card', { title: escapeLabel(title), url });
    message = await messenger.postCard(thread, { parts: [{ kind: 'text', markdown, ownLinks: [url] }] }, key);
    if (!(await answerFiles.addMessage(turn, id, message))) throw new AnswerErasedError();
    const readers = await messenger.publishCanvas(thread, canvas, { markdown: text, message, asker });
    return { title: escapeLabel(title), url, readers };
  } catch (error) {
    // The person may ask again. Any other error: the task is delivered again, and goes on.
    const isFinal = [AnswerErasedError, FileUnavailableError, CannotPostError, ThreadDeletedError].some(
      (one) => error instanceof one,
    );
    if (!isFinal) throw error;
    if (message !== undefined) await messenger.removeCard(thread, message);
    await answerFiles.release(turn, id);
    throw error;
  }
}

/** The first heading of the answer if it begins with one, else the beginning of the question, without markup. */
function createTitle(question: string, text: string): string {
  const [, heading] = /^\s*#{1,6} +(.+)/u.exec(text) ?? [];
  const words = (heading ?? question).slice(0, 5 * MAX_TITLE_LENGTH).replaceAll(/<[^>]*>|[*_`~#]/gu, ' ');
  return truncateText(words.replaceAll(/\s+/gu, ' ').trim(), MAX_TITLE_LENGTH);
}

/** A title as the label of a link. */
const escapeLabel = (title: string): string =>
  title
    .replaceAll(/[\\[\]()|<>]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
