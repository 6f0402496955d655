import { HOSTS } from '../../../support/scripted.ts';

export const DATA = `${HOSTS.management}/aims/data/v1`;
export const MGMT = `${HOSTS.management}/aims/mgmt/v1`;

export const ID = '27f0b6e4-8c5d-4a91-b3e7-60d94f1c2a58';
export const GROUP = 'f8293c6d-4e10-4b7a-8d95-1a6c5e70b3f2';
export const OTHER = '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a';
export const TIME = '2026-05-15T13:05:53.684091Z';
