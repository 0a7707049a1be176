import { describeContextOptions } from '../../cdk/context-options.ts';
import { PARAMETERS } from '../../cdk/parameters/parameter-list.ts';
import { CREDENTIAL_MEANINGS, VARIABLES } from '../../configuration/index.ts';
import {
  DEFAULT_VALUES,
  isSetting,
  SETTING_LEVELS,
  type SettingName,
  SETTINGS,
} from '../../../shared/settings/rules/index.ts';
import { SETTING_MEANINGS } from './setting-meanings.ts';

/** A table of a document: cells in Markdown. */
export type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Longer defaults are cut: the template has the whole text. */
const MAX_DEFAULT_LENGTH = 50;
/** Where a document says more of a variable. */
const DETAILS: Readonly<Record<string, string>> = {
  SLACK_CLIENT_ID: 'slack.md#more-workspaces',
  DISCORD_MESSAGES: 'discord.md#the-relay',
  DISCORD_RELAY_TASKS: 'discord.md#the-relay',
  UPSTREAM_VISION_URL: 'video.md',
  VIDEO_MODELS: 'video.md',
  SEARCH: 'search.md',
  FFMPEG_PATH: 'voice.md#decoders',
  ACCOUNTS: 'limits.md#budgets',
  DEPLOYMENT_BUDGET: 'limits.md#budgets',
};
/** The secret of a deployment for each credential; socket mode is for one machine. */
const SECRETS: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'secret `SlackBotSecret`',
  SLACK_APP_TOKEN: 'one machine only',
  SLACK_SIGNING_SECRET: 'secret `SlackSigningSecret`',
  SLACK_CLIENT_ID: 'secret `SlackOAuthSecret`',
  SLACK_CLIENT_SECRET: 'secret `SlackOAuthSecret`',
  DISCORD_BOT_TOKEN: 'secret `DiscordBotSecret`',
  UPSTREAM_API_KEY: 'secret `UpstreamSecret`',
  SEARCH_API_KEY: 'secret `UpstreamSecret`',
};

/** All variables of `.env`, with their parameters or secrets in a deployment. */
export function listVariables(): Table {
  const parameters = Object.entries(PARAMETERS);
  return {
    head: ['Variable', 'In a deployment', 'Meaning', 'Form, and where to find it', 'Default'],
    rows: Object.entries(VARIABLES).map(([variable, form]) => {
      const [name, parameter] = parameters.find(([, { env }]) => env === variable) ?? [];
      const meaning = parameter?.description ?? CREDENTIAL_MEANINGS[variable];
      if (meaning === undefined) throw new Error(`${variable} has no parameter and no meaning`);
      const details = DETAILS[variable];
      const fallback = parameter && 'default' in parameter ? String(parameter.default) : '';
      return [
        `\`${variable}\``,
        name === undefined ? (SECRETS[variable] ?? '') : `\`${name}\``,
        escapeCell(meaning) + (details === undefined ? '' : ` [More](${details})`),
        escapeCell(form),
        formatDefault(fallback),
      ];
    }),
  };
}

const formatDefault = (text: string): string => {
  if (text === '') return '';
  return `\`${text.length > MAX_DEFAULT_LENGTH ? `${text.slice(0, MAX_DEFAULT_LENGTH)}…` : text}\``;
};

/** Markdown of a cell in which `<`, `|`, `_` and `*` are no markup. */
const escapeCell = (text: string): string => text.replaceAll(/[|*_<>{}[\]]/gu, (sign) => `\\${sign}`);

/** All options of a deployment (`-c name=value`). */
export const listContextOptions = (): Table => ({
  head: ['Name', 'Meaning', 'Values', 'Default'],
  rows: describeContextOptions().map(({ name, meaning, values, fallback }) => [
    `\`${name}\``,
    meaning,
    values,
    formatDefault(fallback),
  ]),
});

/** All settings, with the levels at which they can be set. */
export const listSettings = (): Table => ({
  head: ['Setting', ...SETTING_LEVELS.map(capitalize), 'Values', 'Default', 'Meaning'],
  rows: Object.keys(SETTINGS)
    .filter(isSetting)
    .map((name) => {
      const levels: readonly string[] = SETTINGS[name].levels;
      return [
        `\`${name}\``,
        ...SETTING_LEVELS.map((level) => (levels.includes(level) ? 'yes' : 'no')),
        describeValues(name),
        describeDefault(name),
        SETTING_MEANINGS[name],
      ];
    }),
});

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function describeDefault(name: SettingName): string {
  const value = Object.entries(DEFAULT_VALUES).find(([one]) => one === name)?.[1];
  if (value === undefined) return '';
  return `\`${typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)}\``;
}

function describeValues(name: SettingName): string {
  const setting = SETTINGS[name];
  switch (setting.format) {
    case 'number':
    case 'integer':
      return `${setting.min.toLocaleString('en')} to ${setting.max.toLocaleString('en')}`;
    case 'yes-no':
      return 'yes, no';
    case 'language':
      return `${name === 'voiceLanguage' ? '`none`, ' : ''}\`auto\`, a language`;
    case 'list':
      return `a list, at most ${getMaxLength(setting.schema.pipe)}`;
    case 'text':
      return `text, at most ${getMaxLength(setting.schema.pipe)} characters`;
    default:
      return setting.format.map((one) => `\`${one}\``).join(', ');
  }
}

type PipeItem = { readonly type: string; readonly requirement?: unknown };

function getMaxLength(pipe: readonly PipeItem[]): string {
  const maximum = pipe.find(({ type }) => type === 'max_length')?.requirement;
  return typeof maximum === 'number' ? maximum.toLocaleString('en') : 'any number';
}
