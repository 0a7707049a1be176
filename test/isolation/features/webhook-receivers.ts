import * as v from 'valibot';
import { integrationChannel, integrationUser } from '../../../shared/domain/index.ts';
import { ACTOR, type AccessChecker } from '../access-checker.ts';
import type { ApiKeys } from './api-keys.ts';

const bodySchema = v.object({
  data: v.object({
    /** The request of the integration; null if somebody else asked. */
    id: v.nullable(v.string()),
    channel: v.nullable(v.string()),
    integration: v.object({ id: v.string(), name: v.string() }),
  }),
});

type ReceiverOptions = {
  /** Everybody in the tenant may read this channel. */
  readonly isPublic: (tenant: string, channel: string) => boolean;
  /** Other operations run at the same time. */
  readonly races: () => boolean;
};

/** The address at which an integration of a tenant is told about answers. */
export const webhookAddress = (tenant: string, name: string): string =>
  `https://hooks.example.com/${tenant}/${name}`;

/** The receivers of webhooks: each may be told about the answers to its own integration, and about public channels of it. */
export class WebhookReceivers {
  readonly #checker: AccessChecker;
  readonly #apiKeys: ApiKeys;
  readonly #options: ReceiverOptions;

  constructor(checker: AccessChecker, apiKeys: ApiKeys, options: ReceiverOptions) {
    this.#checker = checker;
    this.#apiKeys = apiKeys;
    this.#options = options;
  }

  /** A webhook arrives at an address. */
  receive(url: string, body: string): void {
    const [, tenant = '', name = ''] = new URL(url).pathname.split('/');
    const { id, channel, integration } = v.parse(bodySchema, JSON.parse(body)).data;
    this.#checker.checks += 1;
    if (tenant !== ACTOR.getStore()?.tenant || name !== integration.name)
      this.#checker.fail(`${url} is told what is for ${integration.name}`);
    const channels = this.#channelsOf(tenant, integration.id, id === null);
    const own = id === null ? [] : [channel ?? integrationChannel(integration)];
    if (!this.#options.races() && channel !== null && ![...channels, ...own].includes(channel))
      this.#checker.fail(`${url} is told what was asked in ${channel}`);
    const user = integrationUser(integration);
    const reader = { kind: 'integration', tenant, user, channels: [...channels, ...own] } as const;
    this.#checker.read(body, reader, 'webhook');
  }

  /** The channels about which an integration may be told; `ofOthers`: also what other people asked there. */
  #channelsOf(tenant: string, id: string, ofOthers: boolean): readonly string[] {
    const channels = this.#apiKeys.channelsOf({ tenant, id });
    if (channels === undefined && !this.#options.races())
      this.#checker.fail(`the integration ${id} was removed, and is told about an answer`);
    return (channels ?? []).filter((one) => !ofOthers || this.#options.isPublic(tenant, one));
  }
}
