import type { PageLinks } from '../page-server.ts';

export function linksFor(links: PageLinks, hostname: string): PageLinks;
