import type { Card, CardControl, CardPart } from '../domain/index.ts';
import { formatMoment, type Locale, localize } from '../i18n/index.ts';
import type { KnowledgeDocument } from '../storage/index.ts';
import { truncateText } from '../utils/index.ts';

/** Both platforms limit the size of a message, and a menu to 25 options. */
const MAX_SHOWN = 25;
const MAX_SHOWN_TITLE = 60;

type CardOptions = {
  readonly locale: Locale;
  readonly zone: string;
  /** Whether the person may remove a document. */
  readonly mayRemove: (document: KnowledgeDocument) => boolean;
  /** Says how to add documents. */
  readonly hint: string;
};

/** Lists the documents of a collection, the newest first, with a menu to remove those that the person may. */
export function createCollectionCard(
  {
    ready,
    unfinished,
  }: { readonly ready: readonly KnowledgeDocument[]; readonly unfinished: readonly KnowledgeDocument[] },
  options: CardOptions,
): Card {
  const { locale, hint } = options;
  const title = localize(locale, 'knowledge.list.title');
  const states = new Set(unfinished.map(({ id }) => id));
  const all = [...ready, ...unfinished].toSorted((a, b) => b.requestedAt - a.requestedAt);
  const note: CardPart = { kind: 'note', markdown: hint };
  if (all.length === 0)
    return { title, parts: [{ kind: 'text', markdown: localize(locale, 'knowledge.list.none') }, note] };
  const listed = all.slice(0, MAX_SHOWN);
  const lines = listed.map((document) => documentLine(document, states.has(document.id), options));
  const more =
    all.length > MAX_SHOWN
      ? [localize(locale, 'knowledge.list.more', { count: all.length - MAX_SHOWN })]
      : [];
  const text: CardPart = {
    kind: 'text',
    markdown: [...lines, ...more].join('\n'),
    ownLinks: listed.map(({ url }) => url),
  };
  const controls = removalControls(listed, options);
  return {
    title,
    parts: [text, ...(controls.length > 0 ? [{ kind: 'controls' as const, controls }] : []), note],
  };
}

/** Strangers choose titles: markup in them is removed. */
const plainTitle = (title: string): string =>
  truncateText(
    title
      .replaceAll(/[`*_~<>|[\]\\#()]+/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
    MAX_SHOWN_TITLE,
  );

function documentLine(
  { title, url, lengths, requestedAt }: KnowledgeDocument,
  isUnfinished: boolean,
  { locale, zone }: CardOptions,
): string {
  const facts = isUnfinished
    ? localize(locale, 'knowledge.unfinished')
    : localize(locale, 'knowledge.list.passages', { count: lengths.length });
  return `- [${plainTitle(title) || new URL(url).host}](${url}) · ${facts} · ${formatMoment(requestedAt, zone, locale)}`;
}

function removalControls(
  listed: readonly KnowledgeDocument[],
  { locale, mayRemove }: CardOptions,
): readonly CardControl[] {
  const options = listed
    .filter(mayRemove)
    .map(({ id, title, url }) => ({ label: plainTitle(title) || new URL(url).host, value: id }));
  const choice: CardControl = {
    kind: 'choice',
    label: localize(locale, 'knowledge.remove'),
    action: { name: 'knowledge.remove', args: [] },
    options,
  };
  return options.length > 0 ? [choice] : [];
}
