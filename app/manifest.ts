import type { MetadataRoute } from "next";

/** What a browser reads to install Meguri as an application. Public: it says nothing that the sign-in page does not. */
export default function manifest(): MetadataRoute.Manifest {
  return {
    id: "/",
    name: "Meguri",
    short_name: "Meguri",
    start_url: "/",
    display: "standalone",
    background_color: "#fbf9f4",
    theme_color: "#fbf9f4",
    icons: [
      { src: "/icons/192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/512-maskable.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  };
}
