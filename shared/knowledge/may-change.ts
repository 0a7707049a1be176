import type { Interaction } from '../domain/index.ts';
import type { TextMessage } from '../i18n/index.ts';
import type { FindMemberRoles } from '../platforms/ports/index.ts';
import { findEnabledTools, type SettingsLayers } from '../settings/rules/index.ts';
import type { KnowledgeDocument } from '../storage/index.ts';
import { KNOWLEDGE_SOURCE } from './knowledge-tools.ts';

/** The maximum number of documents of a collection: a search reads a part of the index of each. */
const MAX_DOCUMENTS = 100;
/** The maximum number of passages in all of them: about four million characters, 1,500 full pages. */
const MAX_COLLECTION_PASSAGES = 4_000;

type CollectionContents = {
  readonly ready: readonly KnowledgeDocument[];
  readonly unfinished: readonly KnowledgeDocument[];
};

/** Returns why a person may not add a document here; undefined if they may. Who may ask the knowledge of a channel may also add to it. */
export async function findAddRefusal(
  { by, ...place }: Interaction,
  layers: SettingsLayers,
  memberRoles: FindMemberRoles,
  command: string,
): Promise<TextMessage | undefined> {
  const enabled = await findEnabledTools(by.user, layers, () => memberRoles(place, by.user));
  return enabled.includes(KNOWLEDGE_SOURCE) ? undefined : ['knowledge.off', { command }];
}

/** Returns why a document of this source does not fit; undefined if it does. One that replaces another always does. */
export function findFullRefusal(
  { ready, unfinished }: CollectionContents,
  passages: number,
  isReplaced: (document: KnowledgeDocument) => boolean,
): TextMessage | undefined {
  const others = [...ready, ...unfinished].filter((one) => !isReplaced(one));
  const stored = others.reduce((sum, { lengths }) => sum + lengths.length, 0);
  const isFull = others.length >= MAX_DOCUMENTS || stored + passages > MAX_COLLECTION_PASSAGES;
  return isFull ? ['knowledge.full', { count: others.length }] : undefined;
}

/** Whether a person may remove a document: their own, and administrators all. */
export const mayRemove = (
  { by }: Pick<KnowledgeDocument, 'by'>,
  { user, admin }: { readonly user: string; readonly admin: boolean },
): boolean => admin || by === user;
