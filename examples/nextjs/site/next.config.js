/** @type {import('next').NextConfig} */
export default { distDir: '.cache' }
