import { isPicture, type Interaction, type Modal, type ModalField } from '../../domain/index.ts';
import {
  DEFAULT_OPERATION,
  MAX_PROMPT_LENGTH,
  type MediaModel,
  listModelsFor,
} from '../../video/jobs/index.ts';
import type { FrontStore } from '../../storage/index.ts';
import { getFormTexts, toLocale } from '../../i18n/index.ts';
import { formatDollars } from '../../utils/index.ts';

/** The proposed prompt of a video: in English, which models follow best. */
export const DEFAULT_PROMPT = 'Bring this picture gently to life: small, natural movements, a still camera.';

/** The commands in the menu of a message that open the form. */
export const ANIMATE_COMMAND = 'animate-form';
export const EDIT = 'edit-form';

export type VideoFormContext = {
  readonly store: Pick<FrontStore, 'saveNote' | 'findVideoDraft'>;
  /** The models, default first; none if videos are disabled. */
  readonly videoModels: readonly MediaModel[];
};

/**
 * Loads the modal of a video that an interaction opens, as a function of the locale; undefined if the worker handles the
 * interaction: because the job may belong to someone else, or the platform may not say whether the person is an admin. A modal
 * carries little data, so the target message is stored under the interaction's id. The actions of the modal:
 * `video.begin|<interaction>|<channel>|<root>|<operation>`, `video.make|<job>` for a proposed job, `video.change|<job>` for a
 * job with a successor. Permissions are checked when the modal is submitted.
 */
export async function loadVideoForm(
  { id, platform, workspace, by, payload }: Interaction,
  { store, videoModels: models }: VideoFormContext,
): Promise<((tag?: string) => Modal) | undefined> {
  if (payload.kind === 'on-message' && (payload.name === ANIMATE_COMMAND || payload.name === EDIT)) {
    const operation = payload.name === EDIT ? 'edit' : DEFAULT_OPERATION;
    const [usual] = listModelsFor(models, operation);
    if (!usual || !payload.message.attachments.some(isPicture)) return undefined;
    const { channel, root } = payload.message.thread;
    await store.saveNote(id, { platform, workspace, channel, root, user: by.user }, payload.message);
    return buildVideoForm(
      ['begin', id, channel, root, operation],
      { ...usual, prompt: operation === 'edit' ? '' : DEFAULT_PROMPT, model: usual.name },
      models,
    );
  }
  if (payload.kind !== 'action' || payload.action.name !== 'video.change-form') return undefined;
  const [job = ''] = payload.action.args;
  const caller = { platform, workspace, by, admin: by.admin === true };
  const drafted = await store.findVideoDraft(job, caller);
  return drafted && buildChangeForm(job, drafted, models);
}

/** Builds the modal that changes a job, as a function of the locale. */
export const buildChangeForm = (
  id: string,
  job: VideoDraft & { readonly state: string },
  models: readonly MediaModel[],
): ((tag?: string) => Modal) =>
  buildVideoForm([job.state === 'proposed' ? 'make' : 'change', id], job, models);

type VideoDraft = {
  readonly operation?: string | undefined;
  readonly prompt: string;
  readonly model: string;
  readonly price?: string | undefined;
};

function buildVideoForm(
  [deed, ...args]: readonly [string, ...string[]],
  of: VideoDraft,
  all: readonly MediaModel[],
) {
  const { operation = DEFAULT_OPERATION } = of;
  const models = listModelsFor(all, operation);
  return (tag?: string): Modal => {
    const texts = getFormTexts(tag);
    const formatPrice = (dollars: string | undefined): string =>
      dollars === undefined
        ? texts('noPrice')
        : `${texts('price')} ${formatDollars(Number(dollars), toLocale(tag))}`;
    // A proposed job keeps the price on its card.
    const price = deed === 'make' ? of.price : (models.find(({ name }) => name === of.model) ?? of).price;
    const priced = `${texts('description')} (${formatPrice(price)})`;
    const fields: ModalField[] = [
      { id: 'prompt', kind: 'paragraph', label: priced, value: of.prompt, most: MAX_PROMPT_LENGTH },
    ];
    // Each model is shown with its price.
    const options = models.map((one) => ({
      label: `${one.name} (${formatPrice(one.name === of.model ? price : one.price)})`,
      value: one.name,
    }));
    if (models.length > 1)
      fields.push({ id: 'model', kind: 'choice', label: texts('model'), options, value: of.model });
    const action = { name: `video.${deed}`, args };
    const title = texts(operation === DEFAULT_OPERATION ? 'animate' : 'edit');
    return { title, submit: title, action, fields };
  };
}
