import {
  buildCommandForm,
  loadDraftedForm,
  moreActionsIn,
  loadVideoForm,
  type VideoFormContext,
} from '../../../shared/commands/index.ts';
import { getInteractionSettingsPlace } from '../../../shared/settings/index.ts';
import { readMediaModels } from '../../../shared/video/jobs/index.ts';
import { getLanguageSetting } from '../../../shared/settings/rules/index.ts';
import {
  type ParsedInteraction,
  createModalOpener,
  createOwnToken,
} from '../../../shared/platforms/slack/front.ts';
import { type AwsCall, createSecretReader, slackBotSchema } from '../../../shared/aws/index.ts';
import type { SlackFrontConfig, Log, Clock } from '../../../shared/runtime/index.ts';
import type { FrontStore, Installs, SettingsStore } from '../../../shared/storage/index.ts';
import { isSupportedLanguage } from '../../../shared/i18n/index.ts';

type InfraClients = {
  readonly aws: AwsCall;
  readonly installs: Pick<Installs, 'find'>;
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
  readonly store: VideoFormContext['store'] & Pick<FrontStore, 'findDraftModal' | 'findFact'>;
  readonly now: Clock;
};

/**
 * Opens the modal of an interaction, if it has one. Resolves with whether it was opened; if not, the interaction goes to the
 * worker, which informs the person.
 */
export type OpenForm = (parsed: ParsedInteraction) => Promise<boolean>;

/**
 * Opens modals in Slack. It loads the bot token when the first verified interaction has a modal. The deployment's own token
 * is used only in its own workspace: where the app was removed, no modal opens.
 */
export function createSlackForms(
  config: SlackFrontConfig,
  { aws, installs, settingsStore, store, now }: InfraClients,
  log: Log,
): OpenForm {
  const bot = createSecretReader(config.botSecretId, slackBotSchema, { aws, now });
  const { slackApiUrl } = config;
  const videoModels = readMediaModels(config.videoModels) ?? [];
  const own = createOwnToken(slackApiUrl, async () => (await bot.load()).botToken);
  // Only workers renew tokens, when they use one that expires within two hours: the front has no client secret. After hours without a
  // request of a worker this token may have expired; the interaction then goes to a worker.
  const open = createModalOpener({
    slackApiUrl,
    language: async (interaction) => {
      const language = getLanguageSetting(
        await settingsStore.layers(getInteractionSettingsPlace(interaction)),
      );
      return isSupportedLanguage(language) ? language : undefined;
    },
    token: async (workspace) => (await installs.find(workspace))?.botToken ?? own(workspace),
  });
  return async (parsed) => {
    const { payload, platform, workspace, by } = parsed.interaction;
    try {
      const videoForm = await loadVideoForm(parsed.interaction, { store, videoModels });
      const drafted = await loadDraftedForm(payload, { platform, workspace, user: by.user }, store);
      const formIn =
        videoForm ??
        ((tag?: string) =>
          drafted?.(tag) ?? moreActionsIn(payload, tag) ?? buildCommandForm(payload, 'slack', tag));
      if (!formIn()) return false;
      await open(parsed, formIn);
      return true;
    } catch (error) {
      log('modal.open-failed', { kind: payload.kind, reason: getErrorReason(error) });
      return false;
    }
  };
}

const getErrorReason = (error: unknown): string =>
  error instanceof Error ? (error.name === 'ModalNotOpenedError' ? error.message : error.name) : 'unknown';
