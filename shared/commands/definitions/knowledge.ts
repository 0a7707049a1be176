import {
  actionLabel,
  ADD_TO_KNOWLEDGE,
  addLabel,
  documentLabel,
  knowledgeLabel,
  listLabel,
  localize,
  removeLabel,
  whatToDoLabel,
} from '../../i18n/index.ts';
import type { CollectionPlace } from '../../storage/index.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type CommandHandler,
  type CommandRequest,
  type InteractionRequest,
  replyCard,
  replyStale,
} from '../framework/types.ts';
import {
  addAddress,
  addTargetMessage,
  createCollectionListCard,
  refuse,
  removeDocument,
} from './collection/change-collection.ts';

export const spec = {
  name: 'knowledge',
  options: [
    { name: 'do', kind: 'text', choices: ['list', 'add', 'remove'] },
    { name: 'what', kind: 'text', max: 1_000, rest: true },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  what: { onlyWith: { do: ['add', 'remove'] } },
};

export const messageCommand = {
  name: 'knowledge',
  label: 'Add to knowledge',
} as const satisfies MessageCommandSpec;

/** The collection of the channel of an interaction; undefined in App Home. */
function getCollectionPlace({ interaction }: InteractionRequest): CollectionPlace | undefined {
  const { platform, workspace, channel } = interaction;
  return channel && { platform, workspace, channel };
}

/** Lists, adds and removes the documents of this channel. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { options, locale } = request;
  const place = getCollectionPlace(request);
  if (!place) return refuse(request, localize(locale, 'settings.no.nowhere'), context);
  const what = String(options['what'] ?? '').trim();
  if (options['do'] === 'add') return addAddress(request, place, what, context);
  return options['do'] === 'remove'
    ? removeDocument(request, place, what, context)
    : replyCard(request, await createCollectionListCard(request, place, context), context);
};

/** Adds the files of a message, or its text. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  addTargetMessage(request, context);

/** Handles `knowledge.remove`, with a document chosen in the menu of the list. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload } = request;
  const place = getCollectionPlace(request);
  const chosen = payload.kind === 'action' ? payload.chosen[0] : undefined;
  if (payload.action.name !== 'knowledge.remove' || !place || chosen === undefined)
    return replyStale(request, context);
  return removeDocument(request, place, chosen, context);
};

export const texts = {
  name: knowledgeLabel,
  about: {
    en: 'Documents of this channel that answers can use',
    de: 'Dokumente dieses Kanals, die Antworten nutzen können',
    fr: 'Documents de ce canal que les réponses peuvent utiliser',
    es: 'Documentos de este canal que las respuestas pueden usar',
    pt: 'Documentos deste canal que as respostas podem usar',
    ja: '回答に使えるこのチャンネルの文書',
    ko: '답변에 쓸 수 있는 이 채널의 문서',
    zh: '回答可以使用的此频道文档',
  },
  messageCommand: ADD_TO_KNOWLEDGE,
  'do.name': actionLabel,
  'do.about': whatToDoLabel,
  'do=list': listLabel,
  'do=add': addLabel,
  'do=remove': removeLabel,
  'what.name': documentLabel,
  'what.about': {
    en: 'add: the address of a page; remove: a title, or all',
    de: 'add: die Adresse einer Seite; remove: ein Titel, oder all',
    fr: 'add : l’adresse d’une page ; remove : un titre, ou all',
    es: 'add: la dirección de una página; remove: un título, o all',
    pt: 'add: o endereço de uma página; remove: um título, ou all',
    ja: 'add: ページのアドレス / remove: タイトルまたは all',
    ko: 'add: 페이지 주소 / remove: 제목 또는 all',
    zh: 'add：网页地址；remove：标题或 all',
  },
} satisfies TextsOf<typeof spec> & MessageCommandTexts;

/** Whether an interaction adds documents, which may need much memory: files, pages, and the index of their words. */
export function addsDocuments({ payload }: { readonly payload: InteractionRequest['payload'] }): boolean {
  switch (payload.kind) {
    case 'on-message':
      return payload.name === messageCommand.name;
    case 'command': {
      const words = [payload.name, ...Object.values(payload.options)].join(' ');
      return /(?:^|\s)knowledge\s/u.test(words) && /https?:/u.test(words);
    }
    case 'form':
      return payload.action.name === 'more.run' && payload.values['action'] === messageCommand.name;
    case 'action':
      return payload.action.name === 'more.run' && payload.action.args.at(-1) === messageCommand.name;
    case 'reacted':
    case 'home':
      return false;
  }
}
