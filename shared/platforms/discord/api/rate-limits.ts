/** Discord's own limit is 50 a second over all processes of a bot; a share of it is left to the others. */
const GLOBAL_PER_SECOND = 40;
/** Of 10,000 requests in ten minutes that Discord finds invalid before it shuts an address out, shared with others. */
const INVALID = { most: 500, withinMs: 10 * 60_000 } as const;
/** What is waited when the budget for invalid requests is spent. */
const PAUSE_MS = 30_000;
const MAX_ROUTES = 2_000;

/** What a response says of the limit of its route. */
export type LimitHeaders = { readonly remaining: number; readonly resetAfterMs: number };

/**
 * What is known in this process of Discord's limits, so that it is not asked what it would refuse. Other processes share
 * them: a 429 is what tells. See docs:topics/rate-limits.
 */
export class RouteRateLimits {
  readonly #now: () => number;
  readonly #routes = new Map<string, { remaining: number; until: number }>();
  #sent: number[] = [];
  #invalid: number[] = [];
  #botHeldUntil = 0;
  #allHeldUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long to wait before this request, in ms; 0 lets it go, and counts it. Requests by ticket have no global limit. */
  take(route: string, byTicket: boolean): number {
    const now = this.#now();
    const known = this.#routes.get(route);
    const route_ = known && known.remaining <= 0 ? Math.max(0, known.until - now) : 0;
    const held = Math.max(this.#allHeldUntil, byTicket ? 0 : this.#botHeldUntil) - now;
    const wait = Math.max(route_, this.#spent(now), held, byTicket ? 0 : this.#global(now));
    if (wait > 0) return Math.ceil(wait);
    if (known) known.remaining = known.until > now ? known.remaining - 1 : Number.MAX_SAFE_INTEGER;
    if (!byTicket) this.#sent.push(now);
    return 0;
  }

  /** Learns from a response. */
  note(route: string, { remaining, resetAfterMs }: LimitHeaders): void {
    this.#routes.delete(route);
    this.#routes.set(route, { remaining, until: this.#now() + resetAfterMs });
    const [oldest] = this.#routes.keys();
    if (this.#routes.size > MAX_ROUTES && oldest !== undefined) this.#routes.delete(oldest);
  }

  /** The bot sends nothing for so long: the limit of all of it is reached. Requests by ticket are not counted there. */
  holdBot(ms: number): void {
    this.#botHeldUntil = Math.max(this.#botHeldUntil, this.#now() + ms);
  }

  /** Nothing goes out for so long: the address is shut out. */
  holdAll(ms: number): void {
    this.#allHeldUntil = Math.max(this.#allHeldUntil, this.#now() + ms);
  }

  /** A 401, a 403 or a 429 of ours. */
  invalid(): void {
    this.#invalid.push(this.#now());
  }

  #global(now: number): number {
    this.#sent = this.#sent.filter((at) => at > now - 1_000);
    const [first = now] = this.#sent;
    return this.#sent.length >= GLOBAL_PER_SECOND ? first + 1_000 - now : 0;
  }

  #spent(now: number): number {
    this.#invalid = this.#invalid.filter((at) => at > now - INVALID.withinMs);
    return this.#invalid.length >= INVALID.most ? PAUSE_MS : 0;
  }
}

/** What Discord counts together: the method, and the path up to its first id or ticket; later ids make no difference. */
export function routeOf(method: string, path: string): string {
  const [, kind = '', first = '', ...rest] = (path.split('?')[0] ?? '').split('/');
  const token = kind === 'webhooks' || kind === 'interactions' ? `/${rest.shift() ?? ''}` : '';
  return `${method} /${kind}/${first}${token}/${rest.map((part) => (/^\d+$/.test(part) ? ':id' : part)).join('/')}`;
}
