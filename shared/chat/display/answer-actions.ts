import type { ChatContext } from '../context.ts';
import { NO_QUESTION_REASONS, type Source, type TurnOutcome, type TurnRef } from '../../domain/index.ts';
import type { AnswerActions, Button, Step } from '../../platforms/ports/index.ts';
import type { Settings } from '../../ports/index.ts';
import { DEFAULT_VALUES, isSettingLocked, resolve, type SettingsLayers } from '../../settings/rules/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { findCodeBlocks } from '../files/code-blocks.ts';
import { answerFooter, modelNames } from './answer-metrics.ts';
import { removeNotice } from './notices.ts';

/** Returns what stands around the words of an answer in its thread. Rejects if a price cannot be read. */
export async function buildAnswerActions(
  { thread }: Pick<TurnRef, 'thread'>,
  outcome: TurnOutcome,
  steps: readonly Step[],
  locale: Locale,
  context: Pick<ChatContext, 'messenger' | 'settings' | 'price'>,
): Promise<AnswerActions> {
  const footer = await answerFooter(outcome, locale, context);
  const hasCanvases = context.messenger.hasCanvases(thread);
  return answerActions(outcome, { steps, settings: context.settings, locale, footer, hasCanvases });
}

/** The model has more to write: it reached a limit, a person pressed Stop, or its stream was interrupted. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'context', 'stopped', 'interrupted']);
/** The most buttons for other models: more in a row are hard to read. */
const MAX_MODELS = 2;

type AnsweredOutcome = Extract<TurnOutcome, { kind: 'answered' }>;

/** Whether there are words of the model to continue from, and it ended early. */
const canContinue = (outcome: AnsweredOutcome): boolean =>
  ENDED_EARLY.has(outcome.finish) && removeNotice(outcome).trim() !== '';

/** The numbers of the versions that are not shown, counted from 1. */
const otherVersions = ({ versions = [], version = 1 }: AnsweredOutcome): readonly number[] =>
  versions.map((_, at) => at + 1).filter((number) => number !== version);

/** From this length on, about two screens, an answer is offered as a file. */
const LONG_ANSWER_CHARS = 4_000;
/** Longer code is offered as a file. */
const MAX_SHORT_CODE_LINES = 15;

/** Returns what of an answer is offered as files or a canvas, as the setting `answerFiles` says: long answers and long code, all, or nothing. */
export function offeredFiles(
  { text }: { readonly text: string },
  layers: SettingsLayers,
  hasCanvases: boolean,
): readonly ('text' | 'canvas' | 'code')[] {
  const setting = resolve('answerFiles', layers).value ?? DEFAULT_VALUES.answerFiles;
  if (setting === 'off') return [];
  const isAll = setting === 'all';
  const isLong = isAll || text.length >= LONG_ANSWER_CHARS;
  const hasCode =
    /```|~~~/u.test(text) &&
    findCodeBlocks(text).some(({ code }) => isAll || code.split('\n').length > MAX_SHORT_CODE_LINES);
  return [
    ...(isLong ? ['text' as const] : []),
    ...(isLong && hasCanvases ? ['canvas' as const] : []),
    ...(hasCode ? ['code' as const] : []),
  ];
}

/** What the buttons of an answer depend on besides its outcome. */
type AnswerDisplay = {
  readonly steps: readonly Step[];
  readonly settings: Pick<Settings, 'otherModels' | 'layers'>;
  readonly locale: Locale;
  readonly footer: string | undefined;
  /** Whether the platform of the thread has canvases. */
  readonly hasCanvases: boolean;
};

/** The buttons and the footer of an answer. A failure has only the button to regenerate. */
export function answerActions(
  outcome: TurnOutcome,
  { steps, settings, locale, footer, hasCanvases }: AnswerDisplay,
): AnswerActions {
  const label = (name: 'good' | 'bad' | 'regenerate' | 'continue') =>
    localize(locale, `answers.button.${name}`);
  const regenerate: Button = { label: label('regenerate'), action: { kind: 'regenerate' } };
  if (outcome.kind === 'failed')
    return { buttons: NO_QUESTION_REASONS.has(outcome.reason) ? [] : [regenerate], steps };
  const continueButton: Button = { label: label('continue'), action: { kind: 'continue' } };
  const fileButtons = offeredFiles(outcome, settings.layers, hasCanvases).map((kind): Button => ({
    label: localize(locale, `answers.button.file-${kind}`),
    action: { kind: 'command', name: `file.${kind}` },
  }));
  const buttons: Button[] = [
    { label: label('good'), action: { kind: 'feedback', good: true } },
    { label: label('bad'), action: { kind: 'feedback', good: false } },
    regenerate,
    ...(canContinue(outcome) ? [continueButton] : []),
    ...versionButtons(outcome, settings.layers, locale),
    ...otherModelButtons(outcome, settings, locale),
    ...fileButtons,
  ];
  return { buttons, steps, footer, sources: listCitedSources(outcome) };
}

/** The buttons of the versions that are not shown, or else the button that requests several. */
function versionButtons(outcome: AnsweredOutcome, layers: SettingsLayers, locale: Locale): Button[] {
  if (outcome.versions)
    return otherVersions(outcome).map((number) => ({
      label: localize(locale, 'answers.button.version', { number }),
      action: { kind: 'version', choice: String(number) },
    }));
  if (isSettingLocked('versions', layers)) return [];
  return [{ label: localize(locale, 'answers.button.versions'), action: { kind: 'version' } }];
}

/** The buttons that ask another model. Where the model is locked there are none: the request would use the locked one. */
function otherModelButtons(
  outcome: AnsweredOutcome,
  { otherModels, layers }: Pick<Settings, 'otherModels' | 'layers'>,
  locale: Locale,
): Button[] {
  const offered = isSettingLocked('model', layers) ? [] : otherModels;
  return offered
    .filter((model) => !modelNames(outcome).includes(model))
    .slice(0, MAX_MODELS)
    .map((model) => ({
      label: localize(locale, 'answers.button.ask-model', { model }),
      action: { kind: 'regenerate', model },
    }));
}

/** Brackets in code are no citations: `list[1]`. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/gu;
/** `[2]`, `[1, 3]`, `[1-3]`, and the brackets of some models: `【2】`, `【2†source】`. */
const CITATION = /\[\s?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,9})\s?\]|【(\d{1,3})(?:†[^】\n]{0,60})?】/gu;

/** Returns the numbers that a text cites. */
function findCitedNumbers(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [, list, single] of text.replaceAll(CODE, '').matchAll(CITATION)) {
    for (const part of (list ?? single ?? '').split(/[,;]/u)) {
      const [first = 0, last = first] = part.split(/[–-]/u).map(Number);
      // A longer range is none: years, pages.
      for (let number = first; number <= Math.min(last, first + 20); number += 1) numbers.add(number);
    }
  }
  return numbers;
}

/**
 * Returns the pages that an answer cites, by number. Found in what is stored, so the links are the same after a restart, and follow the
 * words when the answer changes.
 */
export function listCitedSources(outcome: TurnOutcome): readonly Source[] {
  if (outcome.kind === 'failed') return [];
  const pages = (outcome.toolCalls ?? []).flatMap(({ search }) => search?.results ?? []);
  if (pages.length === 0) return [];
  const cited = findCitedNumbers(removeNotice(outcome));
  const byNumber = new Map(pages.map((source) => [source.number, source]));
  return [...byNumber.values()]
    .filter(({ number }) => cited.has(number))
    .toSorted((a, b) => a.number - b.number);
}
