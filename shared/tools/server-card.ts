import type { Card, CardControl } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import type { StoredTool, ToolServer } from '../storage/index.ts';

/** Most tools in the menu of a card: Discord's limit. The command sets the others. */
const MAX_CHOICES = 25;

/** What a tool becomes when an administrator turns it on: a tool that says that it only reads runs at once, any other asks the person first. */
export const getEnabledUse = ({ isReadOnly }: Pick<StoredTool, 'isReadOnly'>): StoredTool['use'] =>
  isReadOnly ? 'run' : 'ask';

/** What an administrator saw of a tool. */
const serializeContent = ({
  description,
  parameters,
  isReadOnly,
  isDestructive,
}: Omit<StoredTool, 'use'>): string => JSON.stringify([description, parameters, isReadOnly, isDestructive]);

/** Keeps the decisions about tools that a new list still has unchanged. A changed or new tool is off: nobody has seen it. */
export function mergeTools(
  before: readonly StoredTool[],
  listed: readonly Omit<StoredTool, 'use'>[],
): StoredTool[] {
  return listed.map((tool) => {
    const known = before.find(({ name }) => name === tool.name);
    const isSame = known !== undefined && serializeContent(known) === serializeContent(tool);
    return { ...tool, use: isSame ? known.use : 'off' };
  });
}

/** The longest value of an option: Discord’s limit. */
const MAX_CHOICE_LENGTH = 100;

/**
 * The value of a tool in the menu: `+name` turns it on and `-name` off, so a repeated delivery changes nothing. A name of 100 characters or more has no sign,
 * as on cards of earlier versions: choosing it toggles the tool.
 */
const toToolChoice = ({ name, use }: StoredTool): string =>
  name.length < MAX_CHOICE_LENGTH ? `${use === 'off' ? '+' : '-'}${name}` : name;

/** Returns the tool of a choice, with what it becomes. Undefined if the server has none of this name. */
export function readToolChoice(choice: string, tools: readonly StoredTool[]): StoredTool | undefined {
  const find = (name: string) => tools.find((tool) => tool.name === name);
  const [, sign, name = ''] = /^([+-])(.+)$/su.exec(choice) ?? [];
  const chosen = sign === undefined ? undefined : find(name);
  const tool = chosen ?? find(choice);
  const turnsOn = chosen ? sign === '+' : tool?.use === 'off';
  return tool && { ...tool, use: turnsOn ? getEnabledUse(tool) : 'off' };
}

/** The servers of a workspace, with a menu to open one. */
export function createServersCard(
  servers: readonly ToolServer[],
  isOn: (name: string) => boolean,
  locale: Locale,
): Card {
  const options = servers.map(({ name }) => ({ label: name, value: name }));
  return {
    title: localize(locale, 'tools.list.title'),
    parts: [
      {
        kind: 'fields',
        fields: servers.map(({ name, url }) => ({
          name: `${name} (${localize(locale, isOn(name) ? 'tools.list.on' : 'tools.list.off')})`,
          value: new URL(url).host,
        })),
      },
      {
        kind: 'controls',
        controls: [
          {
            kind: 'choice',
            label: localize(locale, 'tools.list.title'),
            action: { name: 'tools.show', args: [] },
            options,
          },
        ],
      },
    ],
  };
}

/** A server: its tools with what administrators decided, and buttons. */
export function createServerCard(
  { name, url, auth, tools }: ToolServer,
  isOn: boolean,
  locale: Locale,
): Card {
  const button = (label: string, action: string, ...args: readonly string[]): CardControl => ({
    kind: 'button',
    label,
    action: { name: action, args: [name, ...args] },
  });
  const says = (key: 'enable-channel' | 'enable-workspace' | 'disable' | 'key' | 'refresh') =>
    localize(locale, `tools.server.${key}`);
  const lines = tools.map((tool) => `\`${tool.name}\`: ${localize(locale, `tools.server.use.${tool.use}`)}`);
  const options = tools.slice(0, MAX_CHOICES).map((tool) => ({
    label: tool.name,
    value: toToolChoice(tool),
    hint: localize(locale, `tools.server.use.${tool.use}`),
  }));
  const choose: CardControl = {
    kind: 'choice',
    label: localize(locale, 'tools.server.use'),
    action: { name: 'tools.use', args: [name] },
    options,
  };
  const state = localize(locale, isOn ? 'tools.list.on' : 'tools.list.off');
  return {
    title: `${name} (${state})`,
    parts: [
      { kind: 'note', markdown: `\`${url.replaceAll('`', '')}\`` },
      ...(lines.length > 0 ? [{ kind: 'text' as const, markdown: lines.join('\n') }] : []),
      { kind: 'note', markdown: localize(locale, 'tools.server.note') },
      ...(options.length > 0 ? [{ kind: 'controls' as const, controls: [choose] }] : []),
      {
        kind: 'controls',
        controls: [
          button(says('enable-channel'), 'tools.on', 'channel'),
          button(says('enable-workspace'), 'tools.on', 'workspace'),
          button(says('disable'), 'tools.off', 'channel'),
          ...(auth === 'key' ? [button(says('key'), 'key.set-form')] : []),
          button(says('refresh'), 'tools.refresh'),
        ],
      },
    ],
  };
}
