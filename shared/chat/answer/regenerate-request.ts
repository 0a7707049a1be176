import {
  canContinueAnswer,
  type TurnOutcome,
  type MergedQuestion,
  type RegenerateTask,
  type Turn,
} from '../../domain/index.ts';
import type { TurnSignal } from '../../storage/index.ts';
import { MAX_VERSIONS } from '../../settings/rules/index.ts';
import type { HeldClaim } from '../access/with-claim.ts';
import type { QuestionInput } from '../prompt/prepare-question.ts';
import { formatMergedQuestion } from './answer-question.ts';
import { openFence } from '../display/answer-buffer.ts';
import { formatNotice, removeNotice } from '../display/notices.ts';
import type { TextKey } from '../../i18n/index.ts';
import { toUnreadFiles } from './finish-answer.ts';
import { lacksVersion } from './show-version.ts';

/** The content of a turn after the requested change. */
export type RegenerateRequest = Omit<Turn, 'outcome'> & {
  readonly mergedQuestions: readonly MergedQuestion[];
};

/** Whether the request only removes a question. */
export const removesQuestion = ({ change }: RegenerateTask): boolean =>
  change.kind === 'edited' && change.question === '' && change.attachments.length === 0;

/** Whether the request concerns a merged question, not the first question of the turn. */
export const isAboutMergedQuestion = ({ change, message }: RegenerateTask): boolean =>
  change.kind === 'edited' && change.editedMessage !== message;

/**
 * The signals that do not end the work on an edit of a merged question. They concern the first question of the turn: their
 * own tasks follow, and do not contain this edit. In a thread whose root message was deleted, nothing is answered again.
 */
export function getIgnoredSignals(task: RegenerateTask): readonly TurnSignal[] {
  if (!isAboutMergedQuestion(task)) return [];
  return task.message === task.thread.root ? ['edited'] : ['edited', 'deleted'];
}

/**
 * Whether this edit, or a later change of the same question, was already applied. Keys of edits sort by time; after a
 * deletion no edit counts. An edit of another question of the turn says nothing about this one.
 */
export function isStaleEdit({ key, change }: RegenerateTask, { ended, revision }: HeldClaim): boolean {
  if (change.kind !== 'edited' || !isEdit(key)) return false;
  const { edit, mergedQuestions = [], message } = ended ?? {};
  // Earlier versions stored only the revision of the turn. In a turn of one question it is the edit of that question.
  const own =
    edit ??
    (mergedQuestions.length === 0 && revision !== undefined && isEdit(revision) ? revision : undefined);
  const applied =
    change.editedMessage === message
      ? own
      : mergedQuestions.find((one) => one.message === change.editedMessage)?.edit;
  // The key of a deletion is no time: platforms may deliver an edit after the deletion, but nobody edits a deleted message.
  return applied !== undefined && (!isEdit(applied) || key <= applied);
}

/** Whether the key of a request is that of an edit, not of a click or a deletion. */
export const isEdit = (key: string): boolean => key.startsWith('edit-');

/** Returns the turn after the requested change; undefined if no question is left. */
export function applyRegenerateTask(
  { key, message, change, by }: RegenerateTask,
  { ended, asker }: HeldClaim,
): RegenerateRequest | undefined {
  const { question = '', edit, mergedQuestions = [], contextLines, isBeforeUnread, pictures } = ended ?? {};
  const known = { message, edit, contextLines, isBeforeUnread };
  if (change.kind !== 'edited') return { ...known, question, mergedQuestions, pictures };
  if (change.editedMessage === message) {
    const isEmpty = change.question === '' && change.attachments.length === 0 && mergedQuestions.length === 0;
    const files = toUnreadFiles(change.attachments);
    return isEmpty
      ? undefined
      : { ...known, question: change.question, edit: key, mergedQuestions, pictures: files };
  }
  const others = mergedQuestions
    .map((one) =>
      one.message === change.editedMessage
        ? { ...one, question: formatMergedQuestion(asker, by, change.question), edit: key }
        : one,
    )
    .filter((one) => one.question !== '');
  return question === '' && others.length === 0
    ? undefined
    : { ...known, question, mergedQuestions: others, pictures };
}

/** Returns the files to read: of a question whose files were read before, only its images and recordings, and what an edit of a merged question adds. */
export function selectFiles(
  task: RegenerateTask,
  { pictures: files = [] }: RegenerateRequest,
): Pick<QuestionInput, 'attachments' | 'pictures'> {
  const { change } = task;
  const added = change.kind === 'edited' && isAboutMergedQuestion(task) ? change.attachments : [];
  return {
    attachments: [...files.filter(({ isUnread }) => isUnread), ...added],
    pictures: files.filter(({ isUnread }) => !isUnread),
  };
}

/** Returns the model, or the prefix to continue from. */
export function getRegenerationMode(
  { change }: RegenerateTask,
  outcome: TurnOutcome | undefined,
): Pick<QuestionInput, 'model' | 'prefix' | 'prefixToolCalls' | 'versions'> {
  if (change.kind === 'version') return { versions: MAX_VERSIONS };
  if (change.kind === 'regenerate') return change.model === undefined ? {} : { model: change.model };
  return change.kind === 'continue' && outcome?.kind === 'answered'
    ? { prefix: removeNotice(outcome), prefixToolCalls: outcome.toolCalls }
    : {};
}

/**
 * Chooses between the new and the previous outcome. The previous answer stays if the request failed, was stopped before its
 * first word, or a regeneration was interrupted. An interrupted continuation keeps what it added.
 */
export function chooseOutcome(
  outcome: TurnOutcome,
  before: TurnOutcome | undefined,
  { kind }: RegenerateTask['change'],
): TurnOutcome {
  if (before?.kind !== 'answered') return outcome;
  const isNew = kind === 'regenerate' || kind === 'version';
  const isWorse = isNew && isInterrupted(outcome) && !isInterrupted(before);
  return outcome.kind === 'failed' || isWorse || isStoppedBefore(outcome) ? before : outcome;
}

/** Adds the reason below an answer that is kept, in place of an earlier notice. A failure is returned unchanged. */
export function withNotice(outcome: TurnOutcome, why: string): TurnOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const words = removeNotice(outcome);
  const end = `${openFence(words)}\n\n${why.startsWith('_') ? why : italicParagraphs(why)}`;
  return { ...outcome, text: words + end, closing: end.length };
}

/** Whether the answer was stopped before its first word. */
export const isStoppedBefore = (outcome: TurnOutcome): boolean =>
  outcome.kind === 'answered' && outcome.finish === 'stopped' && removeNotice(outcome).trim() === '';

/** Italicizes each paragraph, since emphasis cannot span paragraphs. */
const italicParagraphs = (words: string): string => words.split('\n\n').map(formatNotice).join('\n\n');

const isInterrupted = (outcome: TurnOutcome): boolean =>
  outcome.kind === 'answered' && outcome.finish === 'interrupted';

/** Whether the question was removed since the edit. */
export const isTooLate = (task: RegenerateTask, { signal, ended }: HeldClaim): boolean =>
  isEdit(task.key) && signal === 'deleted' && !ended;

/** Tolerated clock difference between the front and the worker. */
const MAX_CLOCK_SKEW_MS = 300;

/** Whether the click was a duplicate: the answer was already regenerated after it. */
export function isDuplicateClick({ clickedAt }: RegenerateTask, { ended, revision }: HeldClaim): boolean {
  const timings = ended?.outcome.timings;
  if (clickedAt === undefined || !timings || !revision?.startsWith('press-')) return false;
  const [receivedAt, , , , tookMs] = timings;
  return clickedAt < receivedAt + tookMs - MAX_CLOCK_SKEW_MS;
}

/** Returns why this request is refused, whatever the settings allow; undefined if it is not. */
export function findRegenerateRefusal(
  task: RegenerateTask,
  { asker, ended, unreadable }: HeldClaim,
): TextKey | undefined {
  const { change, by, message } = task;
  // The question can be asked again, but the merged questions of others are lost.
  if (change.kind === 'edited')
    return unreadable && change.editedMessage !== message ? 'answers.redo.unreadable' : undefined;
  if (by !== asker) return 'answers.redo.not-yours';
  if (unreadable) return 'answers.redo.unreadable';
  if (!ended) return 'answers.redo.nothing-yet';
  if (lacksVersion(task, ended)) return 'answers.redo.gone';
  const isFull =
    change.kind === 'continue' &&
    ended.outcome.kind === 'answered' &&
    !canContinueAnswer(ended, ended.outcome.text);
  return isFull ? 'answers.at-limit' : undefined;
}
