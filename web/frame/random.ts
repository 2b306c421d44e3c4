// 128 random bits in hexadecimal digits. crypto.randomUUID() is for secure contexts alone, which a frame need not be.
export const randomName = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('')
