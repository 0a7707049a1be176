import { formFor } from '../shared/flows/commands/opening.ts';
import { draftedFormFor } from '../shared/flows/commands/drafted-form.ts';
import { formIn as moreActionsIn } from '../shared/flows/commands/more-actions.ts';
import { videoFormFor, type VideoFormDeps } from '../shared/flows/commands/video-form.ts';
import { placeOfCall } from '../shared/flows/settings.ts';
import { readVideoModels } from '../shared/jobs/index.ts';
import type { ParsedCall } from '../shared/platforms/slack/calls.ts';
import { formOpener, ownToken } from '../shared/platforms/slack/open-form.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { SlackFrontConfig } from '../shared/runtime/front-config.ts';
import type { Log } from '../shared/runtime/log.ts';
import { kmsSealer } from '../shared/runtime/seal.ts';
import { secret, slackBot } from '../shared/runtime/secrets.ts';
import type { Clock } from '../shared/runtime/time.ts';
import type { Inbox } from '../shared/store/inbox.ts';
import type { Dynamo } from '../shared/store/index.ts';
import { Installs } from '../shared/store/installs.ts';
import type { SettingsStore } from '../shared/store/settings.ts';
import { languageSet } from '../shared/settings/language.ts';
import { isSpoken } from '../shared/texts/locale.ts';

type Ground = {
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly choices: Pick<SettingsStore, 'layers'>;
  readonly inbox: VideoFormDeps['inbox'] & Pick<Inbox, 'draftedForm'>;
  readonly now: Clock;
};

/**
 * Opens the form that a call wants, if it wants one. Resolves with whether one is open: a call for which it is not goes to
 * the worker as any other, which tells the person.
 */
export type OpenForm = (parsed: ParsedCall) => Promise<boolean>;

/**
 * Opens forms in Slack. The token of the bot is first loaded when a signed call wants a form: a front that never gets one
 * never holds it. The deployment's own token opens forms in its own workspace alone: where the app was removed, none opens.
 */
export function slackForms(
  config: SlackFrontConfig,
  { aws, dynamo, choices, inbox, now }: Ground,
  log: Log,
): OpenForm {
  const bot = secret(config.botSecretId, slackBot, { aws, now });
  const { conversationsTable: table, slackApiUrl } = config;
  const videoModels = readVideoModels(config.videoModels) ?? [];
  const installs = new Installs({
    dynamo,
    table,
    sealer: kmsSealer(config.sealKeyId, aws),
    now,
    unique: () => '',
  });
  const own = ownToken(slackApiUrl, async () => (await bot.load()).botToken);
  // Not renewed here: the worker does that two hours before a token dies, and the front has no key of the app for it.
  const open = formOpener({
    slackApiUrl,
    language: async (invocation) => {
      const set = languageSet(await choices.layers(placeOfCall(invocation)));
      return isSpoken(set) ? set : undefined;
    },
    token: async (workspace) => (await installs.find(workspace))?.botToken ?? own(workspace),
  });
  return async (parsed) => {
    const { id, call, platform, workspace, by } = parsed.invocation;
    try {
      const videoForm = await videoFormFor({ id, user: by.user }, call, { inbox, videoModels });
      const drafted = await draftedFormFor(call, { platform, workspace, user: by.user }, inbox);
      const formIn =
        videoForm ?? ((tag?: string) => drafted ?? moreActionsIn(call, tag) ?? formFor(call, 'slack', tag));
      if (!formIn()) return false;
      await open(parsed, formIn);
      return true;
    } catch (error) {
      log('form.unopened', { kind: call.kind, reason: reasonOf(error) });
      return false;
    }
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.name === 'NotOpened' ? error.message : error.name) : 'unknown';
