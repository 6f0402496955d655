/** X.509 v3 certificates for tests, encoded by hand in DER, so that no key is checked in and no tool is needed. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { machineClock } from '../../support/machine.ts';

export interface Certificate {
  key: string;
  cert: string;
  /** The certificate of the authority, or the self-signed certificate. */
  authority: string;
}

export interface CertificateRequest {
  /** Host names and IPv4 addresses in the certificate. */
  hosts: readonly string[];
  /** Days from today; negative values are in the past. Default: from yesterday to tomorrow. */
  validDays?: readonly [from: number, to: number];
  /** Signed by its own authority instead of self-signed. */
  byAuthority?: boolean;
}

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
/** The "basic constraints" extension of an authority. */
const IS_AUTHORITY = sequence(oid('551d13'), node(0x04, sequence(node(0x01, Buffer.from([0xff])))));

export function makeCertificate({ hosts, validDays = [-1, 1], byAuthority = false }: CertificateRequest): Certificate {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = byAuthority ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : own;
  const issuerName = byAuthority ? 'Test Authority' : 'Test Service';
  const signed = (subject: string, { publicKey }: KeyPair, ...extensions: readonly Buffer[]) => {
    const body = sequence(
      node(0xa0, integer(2)),
      integer(1),
      ECDSA_SHA256,
      name(issuerName),
      sequence(...validDays.map(utcTime)),
      name(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      node(0xa3, sequence(...extensions)),
    );
    return pem(sequence(body, ECDSA_SHA256, signature(body, issuer.privateKey)));
  };
  const cert = signed('Test Service', own, alternativeNames(hosts));
  return {
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert,
    authority: byAuthority ? signed(issuerName, issuer, IS_AUTHORITY) : cert,
  };
}

type KeyPair = ReturnType<typeof generateKeyPairSync>;

function signature(body: Buffer, key: KeyObject): Buffer {
  return node(0x03, Buffer.from([0]), sign('sha256', body, key));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(host)
      ? node(0x87, Buffer.from(host.split('.').map(Number)))
      : node(0x82, Buffer.from(host)),
  );
  return sequence(oid('551d11'), node(0x04, sequence(...names)));
}

function node(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return node(0x30, ...content);
}

function oid(hex: string): Buffer {
  return node(0x06, Buffer.from(hex, 'hex'));
}

function integer(value: number): Buffer {
  return node(0x02, Buffer.from([value]));
}

function name(commonName: string): Buffer {
  return sequence(node(0x31, sequence(oid('550403'), node(0x0c, Buffer.from(commonName)))));
}

function utcTime(days: number): Buffer {
  const digits = new Date(machineClock.now() + days * 86_400_000).toISOString().replace(/\D/g, '');
  return node(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').replace(/(.{64})/g, '$1\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
