import { type Card, formatMention, type Integration } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { Webhook } from '../../../storage/index.ts';

/** Lists the integrations of a workspace, without keys. */
export function createIntegrationListCard(
  all: readonly (Integration & { readonly webhook: Webhook | undefined })[],
  url: string | undefined,
  locale: Locale,
): Card {
  const lines = all.map(({ name, channels, webhook }) => {
    const places = channels.map((id) => formatMention(`#${id}`)).join(', ');
    const hook =
      webhook &&
      localize(locale, `integrations.webhook.${webhook.isOff ? 'off' : 'on'}`, { url: webhook.url });
    const facts = [
      places === '' ? localize(locale, 'integrations.list.own') : places,
      ...(hook ? [hook] : []),
    ];
    return `- ${name}: ${facts.join(' · ')}`;
  });
  return {
    title: localize(locale, 'integrations.list.title'),
    parts: [
      {
        kind: 'text',
        markdown: lines.join('\n'),
        people: all.flatMap(({ channels }) => channels.map((id) => `#${id}`)),
      },
      { kind: 'note', markdown: describeAddress(url, locale) },
    ],
  };
}

/** Shows a key, the only time. `formerHours`: how long the one before stays valid. */
export function createKeyCard(
  { name }: Integration,
  key: string,
  url: string | undefined,
  locale: Locale,
  formerHours?: number,
): Card {
  const former =
    formerHours === undefined ? [] : [localize(locale, 'integrations.key.former', { hours: formerHours })];
  return {
    title: localize(locale, 'integrations.key.title', { name }),
    tone: 'good',
    parts: [
      { kind: 'text', markdown: `\`${key}\`` },
      { kind: 'note', markdown: [localize(locale, 'integrations.key.once'), ...former].join(' ') },
      { kind: 'note', markdown: describeAddress(url, locale) },
    ],
  };
}

const describeAddress = (url: string | undefined, locale: Locale): string =>
  url === undefined ? localize(locale, 'integrations.off') : `\`POST ${url}/v1/ask\``;
