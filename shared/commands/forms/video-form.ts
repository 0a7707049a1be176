import { isPicture, type Interaction, type Modal, type ModalField } from '../../domain/index.ts';
import { DEFAULT_OPERATION, MAX_PROMPT_LENGTH, type MediaModel, modelsFor } from '../../video/jobs/index.ts';
import type { DiscordFrontStore } from '../../storage/index.ts';
import { type FormTexts, getFormTexts } from '../../i18n/index.ts';

/** The proposed prompt of a video: in English, which models follow best. */
export const PROPOSAL = 'Bring this picture gently to life: small, natural movements, a still camera.';

/** The commands in the menu of a message that open the form. */
export const ANIMATE = 'animate-form';
export const EDIT = 'edit-form';

export type VideoFormContext = {
  readonly store: Pick<DiscordFrontStore, 'saveNote' | 'findVideoDraft'>;
  /** Those that make videos, the usual one first; none where there are no videos. */
  readonly videoModels: readonly MediaModel[];
};

/**
 * The form of a video that a call opens, by a person's language; undefined for a call that the worker is to answer: what it
 * names may not be theirs, and whether they are an admin the platform may not have told. What it
 * is about is kept under the call's id: a form carries little. Comes back as `video.begin|<call>|<channel>|<root>`, `video.make|<job>` for a
 * job that was only proposed, `video.change|<job>` for one that is to be followed by another. Who may is asked then.
 */
export async function videoFormFor(
  { id, platform, workspace, by, call }: Interaction,
  { store, videoModels: models }: VideoFormContext,
): Promise<((tag?: string) => Modal) | undefined> {
  if (call.kind === 'on-message' && (call.name === ANIMATE || call.name === EDIT)) {
    const operation = call.name === EDIT ? 'edit' : DEFAULT_OPERATION;
    const [usual] = modelsFor(models, operation);
    if (!usual || !call.message.attachments.some(isPicture)) return undefined;
    const { channel, root } = call.message.thread;
    await store.saveNote(id, { platform, workspace, channel, root, user: by.user }, call.message);
    return renderDraft(
      ['begin', id, channel, root, operation],
      { ...usual, prompt: operation === 'edit' ? '' : PROPOSAL, model: usual.name },
      models,
    );
  }
  if (call.kind !== 'action' || call.action.name !== 'video.change-form') return undefined;
  const [job = ''] = call.action.args;
  const caller = { platform, workspace, by, admin: by.admin === true };
  const drafted = await store.findVideoDraft(job, caller);
  return drafted && changeFormOf(job, drafted, models);
}

/** The form that changes what job `id` was asked for with, by a person's language. */
export const changeFormOf = (
  id: string,
  job: DraftedVideo & { readonly state: string },
  models: readonly MediaModel[],
): ((tag?: string) => Modal) => renderDraft([job.state === 'proposed' ? 'make' : 'change', id], job, models);

type DraftedVideo = {
  readonly operation?: string | undefined;
  readonly prompt: string;
  readonly model: string;
  readonly price?: string | undefined;
};

function renderDraft(
  [deed, ...args]: readonly [string, ...string[]],
  of: DraftedVideo,
  all: readonly MediaModel[],
) {
  const { operation = DEFAULT_OPERATION } = of;
  const models = modelsFor(all, operation);
  return (tag?: string): Modal => {
    const texts = getFormTexts(tag);
    // A video that was proposed costs what its card says.
    const price = deed === 'make' ? of.price : (models.find(({ name }) => name === of.model) ?? of).price;
    const priced = `${texts('happens')} (${about(price, texts)})`;
    const fields: ModalField[] = [
      { id: 'prompt', kind: 'paragraph', label: priced, value: of.prompt, most: MAX_PROMPT_LENGTH },
    ];
    // Which of several models makes it, each with its price.
    const options = models.map((one) => ({
      label: `${one.name} (${about(one.name === of.model ? price : one.price, texts)})`,
      value: one.name,
    }));
    if (models.length > 1)
      fields.push({ id: 'model', kind: 'choice', label: texts('model'), options, value: of.model });
    const action = { name: `video.${deed}`, args };
    const title = texts(operation === 'edit' ? operation : 'animate');
    return { title, submit: title, action, fields };
  };
}

/** A price in US dollars, for people. */
const about = (price: string | undefined, texts: FormTexts): string =>
  price === undefined ? texts('noPrice') : `${texts('price')} $${price}`;
